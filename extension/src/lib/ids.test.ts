// Ids are ULIDs, never the same twice, and as random as the system's own numbers.
import { decodeTime } from "ulid";
import { expect, test } from "vitest";
import { newUlid } from "./ids.ts";

test("ids are ULIDs of now, never the same twice, over many stocks of random numbers", () => {
  const before = Date.now();
  const ids = Array.from({ length: 20_000 }, () => newUlid());
  const after = Date.now();
  expect(new Set(ids.map((id) => id.slice(10))).size).toBe(ids.length);
  for (const id of ids) {
    expect(id).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(decodeTime(id)).toBeGreaterThanOrEqual(before);
    expect(decodeTime(id)).toBeLessThanOrEqual(after);
  }
});

test("each place of the random part takes each letter, about as often", () => {
  const ids = Array.from({ length: 16_384 }, () => newUlid());
  for (let place = 10; place < 26; place += 1) {
    const counts = new Map<string, number>();
    for (const id of ids) counts.set(id.charAt(place), (counts.get(id.charAt(place)) ?? 0) + 1);
    expect(counts.size).toBe(32);
    // 512 each is expected; a deviation of 200 is nine times the usual one.
    for (const count of counts.values()) expect(Math.abs(count - 512)).toBeLessThan(200);
  }
});
