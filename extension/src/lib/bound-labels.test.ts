// What is nested in one another without end is read in the time of any other text; what is written to be read comes out as ever.
import * as fc from "fast-check";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import { describe, expect, test } from "vitest";
import { boundLabels } from "./bound-labels.ts";
import { parseBlocks } from "./parse-markdown.ts";

const plain = (markdown: string) => fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
const bounded = (markdown: string, onSteps?: (steps: number) => void) => fromMarkdown(markdown, { extensions: [gfm(), boundLabels(onSteps)], mdastExtensions: [gfmFromMarkdown()] });

const HOSTILE: Readonly<Record<string, (count: number) => string>> = {
  "[[a]]": (count) => `${"[".repeat(count)}a${"]".repeat(count)}`,
  "]]": (count) => "]".repeat(2 * count),
  "[[a](b)](b)": (count) => `${"[".repeat(count)}a${"](b)".repeat(count)}`,
  "![![a](b)](b)": (count) => `${"![".repeat(count)}a${"](b)".repeat(count)}`,
  "![^a]": (count) => `${"![^a".repeat(count)}${"]".repeat(count)}`,
  "[x\\n": (count) => `${"[x\n".repeat(count)}${"]\n".repeat(count)}`,
};

test.each(Object.entries(HOSTILE))("%s: the steps grow with the text, and every character is shown", (_name, make) => {
  const stepsOf = (markdown: string) => {
    let steps = 0;
    bounded(markdown, (more) => (steps += more));
    return steps;
  };
  expect(stepsOf(make(4_000))).toBeLessThan(stepsOf(make(2_000)) * 2 * 1.2);
  const text = make(1_000);
  expect(parseBlocks(text).map(({ source }) => source).join("").trim()).toBe(text.trim());
});

describe("it is read as the parser's own way reads it", () => {
  test("a long text with links, boxes, footnotes and lonely brackets", () => {
    const line = "- [ ] see [the **page**](https://a.b/c_d) and ![its picture](x.png), [ref][r], a[1] = b[2][3], a note[^n] and ] or [ alone\n";
    const text = `${line.repeat(300)}\n[r]: https://r.example\n[^n]: it says so\n`;
    expect(bounded(text)).toEqual(plain(text));
    expect(bounded(line.replaceAll(/^- |\n$/g, " ").repeat(60))).toEqual(plain(line.replaceAll(/^- |\n$/g, " ").repeat(60)));
  });

  test("forty in one another", () => {
    for (const make of Object.values(HOSTILE)) expect(bounded(make(40))).toEqual(plain(make(40)));
  });

  test("any mixture", () => {
    const piece = fc.constantFrom("[", "]", "![", "[^", "](u)", "][r]", "[]", "a", "*", "`", "\\", " ", "\n", "\n\n[r]: u\n\n", "\n\n[^a]: n\n\n", "https://a.b", "a@b.c");
    fc.assert(fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => void expect(bounded(pieces.join(""))).toEqual(plain(pieces.join("")))), { numRuns: 400 });
  });
});
