import { expect, test } from "vitest";
import { pairLines } from "./pair-lines.ts";

const hunk = (lines: string[], old_start = 1, new_start = 1) => ({ id: "h", old_start, old_lines: 0, new_start, new_lines: 0, lines });
const check = (lines: string[], expected: string[], old_start = 1, new_start = 1) =>
  expect(pairLines(hunk(lines, old_start, new_start)).map(({ before, after }) => `${before === null ? "·" : `${before.number}${before.text}`}|${after === null ? "·" : `${after.number}${after.text}`}`)).toEqual(expected);

test("what goes stands beside what comes in its place", () => check([" a", "-b", "-c", "+B", " d"], ["1a|1a", "2b|2B", "3c|·", "4d|3d"]));
test("lines that only come, or only go, stand alone", () => check(["+x", " a", "-b"], ["·|1x", "1a|2a", "2b|·"]));
test("each side counts by itself", () => check([" a", "+x", " b"], ["10a|20a", "·|21x", "11b|22b"], 10, 20));
test("a change after another one does not slide up beside it", () => check(["+x", "-a", "+y"], ["·|1x", "1a|2y"]));
