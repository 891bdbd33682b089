// What an excerpt shows: the words of a text, without its marks, and code as it is.
import { expect, test } from "vitest";
import { plainWords } from "./plain-words.ts";

test.each([
  ["It is **done**: see `src/sum.js`.", "It is done: see src/sum.js."],
  ["**A *nested* one** and ***all*** of it, _slanted_, ~~gone~~", "A nested one and all of it, slanted, gone"],
  ["## What I did\n\n- one\n* two\n  - [x] three\n1. four\n> said\n> > again", "What I did\n\none\ntwo\nthree\n1. four\nsaid\nagain"],
  ["Look at [the page](https://example.org/a_b) and ![a picture](x.png \"its name\").", "Look at the page and a picture."],
  ["```ts\nconst a = 1;\n```\nafter\n---\nend", "\nconst a = 1;\n\nafter\n\nend"],
  ["| Name | Size |\n|:-----|-----:|\n| a | 2 |", " Name | Size \n\n a | 2 "],
  ["“**引号里**”，**重点。**然后", "“引号里”，重点。然后"],
  // None of these is a mark.
  ["def f(*args, **kwargs): return args ** 2 * 3", "def f(*args, **kwargs): return args ** 2 * 3"],
  ["src/**/*.test.ts and lib/**", "src/**/*.test.ts and lib/**"],
  ["snake_case_name __init__.py _private", "snake_case_name __init__.py _private"],
  ["a -> b - c, 3 > 2, x[1](y z), #12", "a -> b - c, 3 > 2, x[1](y z), #12"],
])("%s", (text, plain) => expect(plainWords(text)).toBe(plain));

/** Read a second time for each of its characters, this much would take minutes: the runner ends that. */
const LONG = 640_000;

test.each(["**a", "*a ", "`", "`a", "`` ", "[", "[a](b ", "[a](b \"", "![a](", "_a", "_ ", "~~a ", "> ", "- ", " -", "# ", "|", "|-", ":-", "a\t|", " ", "\t", "\n", "  \n"])("%j without its other half, or without end, is read once", (mark) => {
  expect(plainWords(mark.repeat(LONG / mark.length)).length).toBeLessThanOrEqual(LONG);
});
