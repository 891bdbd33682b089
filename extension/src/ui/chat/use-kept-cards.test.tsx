// @vitest-environment happy-dom
// Closing the panel changes nothing: what was chosen and typed on a card that waits is there again when it is opened.
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { SessionView } from "../../agent/session-view.ts";
import { forgetKept, packKept, unpackKept, keep, keepIn, readKept } from "../common/use-kept.ts";
import { allScenes } from "../gallery/all-scenes.ts";
import { fakeClient, type Scene } from "../gallery/fake-client.ts";
import { Panel } from "../panel/panel.tsx";

beforeEach(() => vi.useFakeTimers({ shouldAdvanceTime: true }));
afterEach(() => {
  cleanup();
  forgetKept();
  vi.useRealTimers();
});

/** What the engine keeps, over all pages. */
let stored: string | null = null;

/** A page of ours, newly opened: nothing is in it but what the engine gives. */
async function open(name: string, more: Partial<SessionView> = {}) {
  cleanup();
  forgetKept();
  const scene = allScenes[name] as Scene;
  location.hash = scene.place ?? "";
  const client = fakeClient({ ...scene, session: scene.session && { ...scene.session, ...more } });
  const send: typeof client.send = (intent, params) => {
    if (intent === "readCards") return Promise.resolve({ cards: stored } as never);
    if (intent === "keepCards") {
      stored = (params as { cards: string | null }).cards;
      return Promise.resolve(null as never);
    }
    return client.send(intent, params);
  };
  render(<Panel client={{ ...client, send }} />);
  await act(() => vi.advanceTimersByTimeAsync(500));
}
const ticks = () => screen.getAllByTestId<HTMLInputElement>("hunk-box").map(({ checked }) => checked);
const click = (testId: string, place = 0) => act(async () => fireEvent.click(screen.getAllByTestId(testId)[place] as HTMLElement));

test("ticks and a note are as they were left; when the turn is over they are forgotten", async () => {
  stored = null;
  await open("approve-hunks");
  expect(stored).toBeNull();
  await click("hunk-box", 1);
  await click("approval-deny-note");
  fireEvent.change(screen.getByTestId("approval-note"), { target: { value: "not that one" } });
  await act(() => vi.advanceTimersByTimeAsync(500));
  const left = ticks();
  expect(left).toContain(false);
  expect(stored).toContain("not that one");

  await open("approve-hunks");
  expect(ticks()).toEqual(left);
  expect((screen.getByTestId("approval-note") as HTMLTextAreaElement).value).toBe("not that one");

  await open("approve-hunks", { status: "complete" });
  expect(stored).toBeNull();
});

test("what is chosen at once, before the kept comes, is not taken back; what cannot be read is nothing", () => {
  keepIn("s");
  keep("here", "open", new Set(["a"]));
  unpackKept("s", JSON.stringify([["here", [["open", { "\u0000set": ["b"] }]]], ["there", [["open", { "\u0000set": ["c"] }]]], 7, ["x"], null]));
  expect([readKept("here", "open"), readKept("there", "open")]).toEqual([new Set(["a"]), new Set(["c"])]);
  const packed = packKept("s") ?? "";
  forgetKept();
  unpackKept("s", packed);
  expect([readKept("here", "open"), readKept("there", "open")]).toEqual([new Set(["a"]), new Set(["c"])]);
  for (const odd of ["", "{", "7", "null", "{}"]) unpackKept("s", odd);
  expect(packKept("other")).toBeNull();
  keepIn(null);
});
