import { expect, test, vi } from "vitest";
import { onceEach } from "./once-each.ts";

test("each object is looked through once, also where nothing came of it", () => {
  const make = vi.fn(({ size }: { size: number }) => (size === 0 ? undefined : size));
  const sizeOf = onceEach(make);
  const [none, two] = [{ size: 0 }, { size: 2 }];
  expect([sizeOf(none), sizeOf(two), sizeOf(none), sizeOf(two), sizeOf({ size: 2 })]).toEqual([undefined, 2, undefined, 2, 2]);
  expect(make).toHaveBeenCalledTimes(3);
});
