import { expect, test } from "vitest";
import { freePlace, overlaps, type Span } from "./free-place.ts";

const room = { top: 100, bottom: 500 };
const span = (top: number, bottom: number): Span => ({ top, bottom });

test("at the lower end where nothing stands there", () => {
  expect(freePlace({ height: 40, room, clear: [[], [span(110, 130)]] })).toEqual(span(460, 500));
});

test("above what stands there, and in the gap between two", () => {
  expect(freePlace({ height: 40, room, clear: [[span(440, 500)]] })).toEqual(span(396, 436));
  expect(freePlace({ height: 40, room, clear: [[span(440, 500), span(405, 420)]] })).toEqual(span(361, 401));
});

test("what matters less is covered before what matters more", () => {
  const buttons = [span(440, 500)];
  const everything = [span(100, 440)];
  expect(freePlace({ height: 40, room, clear: [buttons, everything] })).toEqual(span(396, 436));
});

test("nowhere in the room", () => {
  expect(freePlace({ height: 40, room, clear: [[span(100, 500)]] })).toBeNull();
  expect(freePlace({ height: 401, room, clear: [[]] })).toBeNull();
});

test("a place that is found lies in the room and covers nothing of the first set", () => {
  let seed = 7;
  const random = (below: number) => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % below;
  const some = () => Array.from({ length: random(6) }, () => ((top) => span(top, top + 1 + random(80)))(60 + random(460)));
  let found = 0;
  for (let round = 0; round < 2_000; round += 1) {
    const height = 10 + random(120);
    const first = some();
    const place = freePlace({ height, room, clear: [first, some(), some()] });
    if (place === null) continue;
    found += 1;
    expect(place.bottom - place.top).toBe(height);
    expect(place.top).toBeGreaterThanOrEqual(room.top);
    expect(place.bottom).toBeLessThanOrEqual(room.bottom);
    expect(first.filter((each) => overlaps(place, each))).toEqual([]);
  }
  expect(found).toBeGreaterThan(500);
});
