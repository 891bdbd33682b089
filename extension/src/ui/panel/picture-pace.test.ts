// Pictures of streaming words keep their pace, and while somebody types, stand right behind the keys' own pictures.
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { PACE_MS, PicturePace, SLOWEST_MS, TYPING_MS } from "./picture-pace.ts";

const frames: (() => void)[] = [];
const messages: (() => void)[] = [];
class Port extends EventTarget {
  start() {}
  close() {}
}
class Channel {
  readonly port1 = new Port();
  readonly port2 = { postMessage: () => messages.push(() => this.port1.dispatchEvent(new Event("message"))) };
}

let taken: number[];
let keys: EventTarget;
let pace: PicturePace;

/** Time goes on; the screen beats every 16 ms, and hands each frame over before messages are handled. */
function pass(milliseconds: number): void {
  for (let left = milliseconds; left > 0; left -= 16) {
    vi.advanceTimersByTime(Math.min(16, left));
    for (const frame of frames.splice(0)) frame();
    for (const message of messages.splice(0)) message();
  }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  vi.stubGlobal("requestAnimationFrame", (act: () => void) => frames.push(act));
  vi.stubGlobal("cancelAnimationFrame", () => frames.splice(0));
  vi.stubGlobal("MessageChannel", Channel);
  taken = [];
  keys = new EventTarget();
  pace = new PicturePace(() => taken.push(performance.now()), keys);
});
afterEach(() => {
  pace.stop();
  frames.length = 0;
  messages.length = 0;
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const stream = (milliseconds: number, each?: (at: number) => void) => {
  for (let at = 0; at < milliseconds; at += 16) {
    pace.words();
    each?.(at);
    pass(16);
  }
};

describe("pictures of an answer", () => {
  test("come at their pace, however fast the words do", () => {
    stream(1_600);
    expect(taken.length).toBeGreaterThanOrEqual(14);
    expect(taken.length).toBeLessThanOrEqual(1_600 / PACE_MS + 1);
  });

  test("what is more than words waits for one frame, also between two keys", () => {
    stream(160, () => keys.dispatchEvent(new Event("keydown")));
    const before = taken.length;
    pace.news();
    pass(16);
    expect(taken.length).toBe(before + 1);
  });

  test("while somebody types, each stands behind the picture of a key, and none between a key and its picture", () => {
    const keysAt: number[] = [];
    stream(1_600, (at) => {
      if (at % 96 !== 0) return;
      keysAt.push(performance.now());
      keys.dispatchEvent(new Event("keydown"));
    });
    expect(taken.length).toBeGreaterThanOrEqual(14);
    // The first is on its way when the first key comes.
    for (const at of taken.slice(1)) expect(keysAt.map((key) => at - key)).toContain(16);
  });

  test("are fewer while somebody types where each takes long, and never none", () => {
    const type = (cost: number, milliseconds: number) => {
      taken = [];
      let drawnAt = Infinity;
      let seen = 0;
      stream(milliseconds, (at) => {
        if (taken.length > seen) [seen, drawnAt] = [taken.length, performance.now() + cost];
        if (performance.now() >= drawnAt) {
          pace.drawn();
          drawnAt = Infinity;
        }
        if (at % 64 === 0) keys.dispatchEvent(new Event("keydown"));
      });
      return taken.length;
    };
    expect(type(16, 3_200)).toBeGreaterThan(20);
    const slow = type(80, 3_200);
    expect(slow).toBeLessThanOrEqual(3_200 / 320 + 1);
    expect(slow).toBeGreaterThan(5);
    expect(type(400, 3_200)).toBeGreaterThanOrEqual(Math.floor(3_200 / (SLOWEST_MS + 64)) - 1);
  });

  test("go on by themselves once the typing ends, with the last words in them", () => {
    stream(320, () => keys.dispatchEvent(new Event("keydown")));
    pace.words();
    taken = [];
    pass(TYPING_MS + 48);
    expect(taken).toHaveLength(1);
  });

  test("none comes after the end", () => {
    pace.words();
    keys.dispatchEvent(new Event("keydown"));
    pace.stop();
    pass(1_000);
    expect(taken).toEqual([]);
  });
});
