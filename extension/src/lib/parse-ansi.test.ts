import { expect, test } from "vitest";
import { parseAnsi } from "./parse-ansi.ts";

const plain = (output: string) => parseAnsi(output).map((run) => run.text).join("");

test("colours become runs", () => {
  expect(parseAnsi("a \u001b[1;31mred\u001b[0m b")).toEqual([
    { at: 0, text: "a ", colour: null, bold: false },
    { at: 2, text: "red", colour: "red", bold: true },
    { at: 5, text: " b", colour: null, bold: false },
  ]);
});

test.each([
  ["10%\r60%", "60%"],
  ["abc\rX", "Xbc"],
  ["windows\r\nline", "windows\nline"],
  ["ab\bc", "ac"],
  ["title \u001b]0;evil\u0007gone", "title gone"],
  ["\u001b[2J\u001b[Hcleared", "cleared"],
  ["cut \u001b[3", "cut "],
])("%j reads %j", (output, expected) => expect(plain(output)).toBe(expected));
