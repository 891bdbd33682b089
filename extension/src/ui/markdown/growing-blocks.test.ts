// An answer that grows is drawn as if it had come at once, at every length; its colours change nothing of its text.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { GrowingBlocks } from "./growing-blocks.ts";
import { highlightCode } from "./highlight-code.ts";
import { parseBlocks } from "../../lib/parse-markdown.ts";

const shape = (blocks: readonly { at: number; source: string; node: { type: string } }[]) => blocks.map(({ at, source, node }) => [at, node.type, source]);
const line = fc.constantFrom("# Title", "words and more", "  indented", "- item", "- [x] done", "  - below", "1. one", "> quote", "```js", "```", "let a = 1;", "| a | b |", "|---|---|", "| 1 | 2 |", "***", "<b>raw</b>", "", "", "    code", "===", "**bold", "end**");

test("whatever grows line by line has the blocks of the whole", () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 14 }), fc.integer({ min: 1, max: 9 }), (lines, piece) => {
      const whole = lines.join("\n");
      const growing = new GrowingBlocks();
      for (let length = 0; length < whole.length; length += piece) growing.parse(whole.slice(0, length));
      expect(shape(growing.parse(whole))).toEqual(shape(parseBlocks(whole)));
    }),
    { numRuns: 400 },
  );
});

test("another answer in the same place is not mixed with the one before", () => {
  const growing = new GrowingBlocks();
  growing.parse("# One\n\ntext");
  expect(shape(growing.parse("# Two"))).toEqual(shape(parseBlocks("# Two")));
});

test("colours keep every character, and leave alone what they do not know", () => {
  const code = 'import x from "y"; // why\nconst n: number = 42;\n';
  const pieces = highlightCode(code, "ts") ?? [];
  expect(pieces.map((piece) => piece.text).join("")).toBe(code);
  expect(new Set(pieces.map((piece) => piece.kind))).toEqual(new Set(["keyword", "string", "comment", "value", null]));
  expect(highlightCode("x", "no-such-language")).toBeNull();
  expect(highlightCode("x".repeat(30_000), "js")).toBeNull();
});
