import { expect, test } from "vitest";
import { splitInvisible } from "./split-invisible.ts";

const shown = (value: string, lines?: "many" | "one") => splitInvisible(value, lines).map((piece) => (piece.hidden ? `[${piece.text}]` : piece.text)).join("");

test.each([
  ["plain words, ümläüts, 漢字 and 🙂", "plain words, ümläüts, 漢字 and 🙂"],
  ["safe\u202Etxt.exe", "safe[U+202E]txt.exe"],
  ["zero\u200Bwidth", "zero[U+200B]width"],
  ["isolate\u2066x\u2069", "isolate[U+2066]x[U+2069]"],
  ["\u001b[31mred", "[U+001B][31mred"],
  ["no\u00A0break", "no[U+00A0]break"],
  ["mark\uFEFF", "mark[U+FEFF]"],
  ["tags \u{E0041}", "tags [U+E0041]"],
  ["filler\u3164", "filler[U+3164]"],
  ["variation\uFE0F", "variation[U+FE0F]"],
  ["lone \uD800 surrogate", "lone [U+D800] surrogate"],
  ["two\nlines\tand a tab", "two\nlines\tand a tab"],
])("%j shows as %j", (value, expected) => expect(shown(value)).toBe(expected));

test("in one line, line feeds and tabs hide too", () => {
  expect(shown("a\n--force\t", "one")).toBe("a[U+000A]--force[U+0009]");
});

test.each([
  ["\u202e", "turns"],
  ["\u001b", "control"],
  ["\u00a0", "unseen"],
  ["\uff41", "alike"],
])("%j is hidden because it %s", (character, kind) => expect(splitInvisible(character, "one")).toMatchObject([{ hidden: true, kind }]));

test("pieces know where they begin and what is wrong with them", () => {
  expect(splitInvisible("ab\u200Bc")).toEqual([
    { at: 0, text: "ab", hidden: false },
    { at: 2, text: "U+200B", hidden: true, kind: "unseen" },
    { at: 3, text: "c", hidden: false },
  ]);
});
