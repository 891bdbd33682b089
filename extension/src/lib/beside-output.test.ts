// The same words do not stand twice in one card.
import { expect, test } from "vitest";
import { besideOutput } from "./beside-output.ts";

test.each([
  ["`npm_test` exited with 0 after 1.2 s.\n\nall is well\n", "\u001b[32mall is well\u001b[0m\n", "`npm_test` exited with 0 after 1.2 s."],
  ["`make` exited with 2 after 3 s.\n\none\ntwo\n\n(cut)", "one\ntwo\n", "`make` exited with 2 after 3 s.\n\n(cut)"],
  ["`make` exited with 0 after 3 s, without output.", "", "`make` exited with 0 after 3 s, without output."],
  ["`make` exited with 0 after 3 s.\n\none\n[12 lines left out]\ntwo", "one\nmore\ntwo", "`make` exited with 0 after 3 s.\n\none\n[12 lines left out]\ntwo"],
])("%j beside %j", (result, output, expected) => {
  expect(besideOutput(result, output)).toBe(expected);
});
