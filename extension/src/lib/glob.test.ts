// Row 19: what a deny on a path speaks of; the host's matcher is held to the same cases.
import { expect, test } from "vitest";
import { globCovers, globMatches, isGlob } from "./glob.ts";
import cases from "./globs.json";

test.each(cases.map(({ glob, path, denied }) => [glob, path, denied] as const))("a deny of %s and %s: %s", (glob, path, denied) => {
  expect(globCovers(glob, path)).toBe(denied);
});

test("an allow is as narrow as it is written", () => {
  expect(globMatches("src/*", "src/deep/a.ts")).toBe(false);
  expect(globMatches("src", "src/a.ts")).toBe(false);
  expect(globMatches("src/**", "src/a\nb.ts")).toBe(true);
});

test("a glob that cannot be read denies everything and allows nothing", () => {
  for (const glob of ["{a", "a\\", "", "/", "./", "..", "a/../b"]) {
    expect(isGlob(glob)).toBe(false);
    expect(globCovers(glob, "x")).toBe(true);
    expect(globMatches(glob, "x")).toBe(false);
  }
});
