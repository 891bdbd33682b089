// What a search finds, and what it does not.
import { expect, test } from "vitest";
import { termsOf, wordsOf } from "./words.ts";

function finds(text: string, query: string): boolean {
  const words = wordsOf(text, 1_000);
  return termsOf(query).every((term) => words.some((word) => word.startsWith(term)));
}

test.each([
  ["Fix the failing test", "fail", true],
  ["Fix the failing test", "iling", false],
  ["Fix the failing test", "TEST fix", true],
  ["call getUserName() now", "username", false],
  ["call getUserName() now", "name", true],
  ["call getUserName() now", "getusername", true],
  ["src/app/parse_args.ts", "parse_args", true],
  ["HTMLParser", "parser", true],
  ["Straße in München", "münchen", true],
  ["请修复失败的测试", "失败", true],
  ["请修复失败的测试", "试", true],
  ["请修复失败的测试", "败失", false],
  ["ﬁle", "file", true],
  ["", "x", false],
])("%j has %j: %s", (text, query, expected) => {
  expect(finds(text, query)).toBe(expected);
});

test("no more words than are wanted, and none that is longer than anyone types", () => {
  expect(wordsOf("a b c d", 2)).toEqual(["a", "b"]);
  expect(wordsOf("x".repeat(99), 9)).toEqual(["x".repeat(40)]);
});
