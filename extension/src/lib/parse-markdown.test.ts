// What anybody may write into a file or a page is parsed while the person waits: no text of some kilobytes may take seconds.
import * as fc from "fast-check";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import { describe, expect, test } from "vitest";
import { pairDelimiters } from "./pair-delimiters.ts";
import { parseBlocks } from "./parse-markdown.ts";

const plain = (markdown: string) => fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
const paired = (markdown: string, onSteps?: (steps: number) => void) => fromMarkdown(markdown, { extensions: [gfm(), pairDelimiters(onSteps)], mdastExtensions: [gfmFromMarkdown()] });

/** How many steps all delimiters of it take. */
function stepsOf(markdown: string): number {
  let steps = 0;
  paired(markdown, (more) => (steps += more));
  return steps;
}

const HOSTILE: Readonly<Record<string, (length: number) => string>> = {
  "a*": (length) => "a*".repeat(length / 2),
  "*a ": (length) => "*a ".repeat(length / 3),
  "*a_ ": (length) => "*a_ ".repeat(length / 4),
  "**a *b": (length) => "**a *b".repeat(length / 6),
  "*a**b***": (length) => "*a**b***".repeat(length / 8),
  "a**b": (length) => "a**b ".repeat(length / 5),
  "*_": (length) => `${"*_".repeat(length / 2)}a`,
  "a run on both sides": (length) => `${"*".repeat(length / 2)}a${"*".repeat(length / 2)}`,
  "one in the other": (length) => `${"*a **b ".repeat(length / 16)}${"c** d* ".repeat(length / 16)}`,
  "~~a": (length) => "~~a".repeat(length / 3),
  "*a~b": (length) => "*a~b".repeat(length / 4),
  "~a ~~b": (length) => "~a ~~b ".repeat(length / 7),
  "in links": (length) => "[*a_](b) ~c".repeat(length / 11),
};

describe("hostile delimiters", () => {
  test.each(Object.entries(HOSTILE))("%s: four times as long takes no more than four times the steps, give or take", (_name, make) => {
    const [short, long] = [stepsOf(make(6_000)), stepsOf(make(24_000))];
    expect(long).toBeLessThan(short * 4 * 1.3);
    expect(long).toBeLessThan(24_000 * 60);
  });

  test.each(Object.entries(HOSTILE))("%s: every character of it is shown", (_name, make) => {
    const text = make(6_000);
    expect(parseBlocks(text).map(({ source }) => source).join("").trim()).toBe(text.trim());
  });

  test("a long text that is meant to be read is never cut short", () => {
    const line = "**Key:** a *slanted* and ~struck~ value of `code` with snake_case_words and 2 * 3 * 4, int* a, char* b\n";
    const text = line.repeat(200);
    expect(paired(text)).toEqual(plain(text));
  });
});

test("lines that only go on with a quote, more than anyone writes, are text; a long list and a long paragraph are not", () => {
  expect(parseBlocks(`> > > a\n${"b\n".repeat(10_000)}`)).toMatchObject([{ node: { type: "paragraph" } }]);
  expect(parseBlocks(`> a\n${"b\n".repeat(900)}`)).toMatchObject([{ node: { type: "blockquote" } }]);
  expect(parseBlocks("- a\n".repeat(2_000))).toMatchObject([{ node: { type: "list" } }]);
  expect(parseBlocks(`- a\n\n${"b\n".repeat(3_000)}`)).toMatchObject([{ node: { type: "list" } }, { node: { type: "paragraph" } }]);
});

const piece = fc.constantFrom("*", "**", "***", "_", "__", "~", "~~", "a", "b c", " ", " ", ".", "[", "](u)", "![", "`", "\\", "<b>", "&amp;", "\n", "ä", "汉", "|", "http://a.b");
const word = fc.constantFrom("word", "**bold**", "*slanted*", "_both_", "__strong__", "***both***", "~~gone~~", "~one~", "snake_case_name", "2*3", "`co*de`", "[link *in*](https://a.b/_c_)", "**with `code` in it**", "a * b", "f(*args, **kwargs)", "int* p", "**_mixed_ up**", "\\*not\\*", "_a **b** c_", "~~*x* y~~", "*a ~b~ c*");
const block = fc.array(word, { minLength: 1, maxLength: 14 }).chain((words) => fc.constantFrom("", "", "- ", "> ", "# ", "1. ", "| ").map((mark) => `${mark}${words.join(" ")}${mark === "| " ? " | x |\n|---|---|\n| *y* | z |" : ""}`));

describe("it is read as the parser's own way reads it", () => {
  test("ordinary texts", () => {
    fc.assert(fc.property(fc.array(block, { minLength: 1, maxLength: 8 }), fc.constantFrom("\n", "\n\n"), (blocks, between) => void expect(paired(blocks.join(between))).toEqual(plain(blocks.join(between)))), { numRuns: 150 });
  });

  test("any mixture of delimiters", () => {
    fc.assert(fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => void expect(paired(pieces.join(""))).toEqual(plain(pieces.join("")))), { examples: [[["![", "~~", "*", "~~", "*", "](u)"]]], numRuns: 600 });
  });
});
