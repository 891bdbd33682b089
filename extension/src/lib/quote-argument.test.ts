import * as fc from "fast-check";
import { expect, test } from "vitest";
import { quoteArgument, splitArguments } from "./quote-argument.ts";

test.each([
  ["--test", "--test"],
  ["a b", "'a b'"],
  ["", "''"],
  ["it's", "'it'\\''s'"],
  ["$(rm)", "'$(rm)'"],
  ["src/**/*.ts", "'src/**/*.ts'"],
  ["größe=1", "größe=1"],
])("%j is typed as %j", (argument, expected) => expect(quoteArgument(argument)).toBe(expected));

test("what was quoted is read back as it was", () => {
  const argument = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: fc.constantFrom("a", "'", '"', "\\", " ", "\n", "*") }));
  fc.assert(
    fc.property(fc.array(argument), (words) => {
      expect(splitArguments(words.map((word) => quoteArgument(word)).join("  "))).toEqual(words);
    }),
    { numRuns: 200 },
  );
});

test.each<[string, string[] | null]>([
  ["", []],
  ["  --test  ** ", ["--test", "**"]],
  ['say "it\'s \\"fine\\" \\n" end', ["say", 'it\'s "fine" \\n', "end"]],
  ["a\\ b", ["a b"]],
  ["--name='x y'z", ["--name=x yz"]],
  ["open 'quote", null],
  ['open "quote', null],
  ["ends in \\", null],
])("%j holds the words %j", (line, words) => expect(splitArguments(line)).toEqual(words));
