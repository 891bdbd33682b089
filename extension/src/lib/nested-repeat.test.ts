import { expect, test } from "vitest";
import { hasNestedRepeat } from "./nested-repeat.ts";

test.each([
  ["(a+)+$", true],
  ["^(?:x*y)*", true],
  ["((a+)b)+", true],
  ["(a{2,}){3}", true],
  ["(?<name>.*)*", true],
  ["(a+)?b+", false],
  ["a+b*", false],
  ["(ab)+c*", false],
  ["[(a+)]+", false],
  ["\\(a+\\)+", false],
  ["^rm -rf .*$", false],
])("%s: %s", (pattern, expected) => {
  expect(hasNestedRepeat(pattern)).toBe(expected);
});
