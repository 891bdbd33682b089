// A diff shows both texts whole: what is kept and what goes is the old one, what is kept and what comes the new one.
import { array, assert, constantFrom, property } from "fast-check";
import { expect, test } from "vitest";
import { lineHunks } from "./line-hunks.ts";

test("what is the same has no hunk", () => {
  expect(lineHunks("a\nb", "a\nb")).toEqual([]);
});

test("a line that changed stands beside the one it was", () => {
  expect(lineHunks("a\nb\nc", "a\nB\nc")).toEqual([{ id: "h1", old_start: 1, old_lines: 3, new_start: 1, new_lines: 3, lines: [" a", "-b", "+B", " c"] }]);
});

test("both texts can be read out of it", () => {
  const text = array(constantFrom("a", "b", "c", " d", "-e"), { minLength: 1 }).map((lines) => lines.join("\n"));
  assert(
    property(text, text, (before, after) => {
      const [hunk] = lineHunks(before, after);
      if (hunk === undefined) return before === after;
      const side = (mark: string) => hunk.lines.filter((line) => line.startsWith(" ") || line.startsWith(mark)).map((line) => line.slice(1)).join("\n");
      return side("-") === before && side("+") === after;
    }),
  );
});
