// Row 19: an expression finds what the browser's own engine finds, and never takes long.
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { linearPattern } from "./linear-pattern.ts";

function agrees(pattern: string, text: string): void {
  const linear = linearPattern(pattern);
  expect(linear?.test(text), `/${pattern}/ in ${JSON.stringify(text)}`).toBe(new RegExp(pattern, "u").test(text));
}

describe("as the browser's engine", () => {
  test.each([
    ["^rm -rf .*$", "rm -rf /"],
    ["^rm -rf .*$", "x rm -rf /"],
    ["a{2,3}b", "xaab"],
    ["a{2,3}b", "xab"],
    ["a{3}", "aa"],
    ["a{2,}b", "aaaab"],
    ["(?:ab|a)c", "abc"],
    ["(?<name>x|y)+z", "xyxyz"],
    ["a|b|c", "xxc"],
    ["|a", ""],
    ["(|a)b", "b"],
    ["(a*)*b", "aab"],
    ["(a?){3}b", "b"],
    ["\\bgit\\b", "run git now"],
    ["\\bgit\\b", "gitk"],
    ["\\Bit", "git"],
    ["[\\]\\\\]", "]"],
    ["[^\\]]", "]"],
    ["\\u{1f600}.", "😀x"],
    ["^.$", "😀"],
    ["^[\\p{L}\\d]+$", "Straße9"],
    ["\\x41\\u0042", "AB"],
    ["\\ud83d\\ude00", "😀"],
    ["a.b", "a\nb"],
    ["a[^]b", "a\nb"],
    ["\\{\"path\":\"src/", '{"path":"src/a.ts"}'],
    ["a+?b", "aab"],
    ["$^", ""],
    ["(^a|b$)", "xb"],
    ["\\/\\.\\-", "/.-"],
  ])("%s in %j", (pattern, text) => {
    if (isPattern(pattern)) agrees(pattern, text);
    else expect(linearPattern(pattern)).toBeNull();
  });

  const atom = fc.constantFrom("a", "b", ".", "[ab]", "[^a]", "\\w", "\\d", "^", "$", "\\b");
  const pattern = fc.letrec<{ term: string }>((tie) => ({
    term: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      atom,
      fc.tuple(tie("term"), tie("term")).map(([one, other]) => one + other),
      fc.tuple(tie("term"), tie("term")).map(([one, other]) => `(?:${one}|${other})`),
      fc.tuple(tie("term"), fc.constantFrom("*", "+", "?", "{2}", "{0,2}", "{1,}", "*?")).map(([one, sign]) => `(${one})${sign}`),
    ),
  })).term;

  test("whatever is put together", () => {
    fc.assert(
      fc.property(pattern, fc.string({ unit: fc.constantFrom("a", "b", "1", "\n", "-"), maxLength: 7 }), (source, text) => {
        fc.pre(source.length < 60);
        agrees(source, text);
      }),
      { numRuns: 3_000 },
    );
  });
});

/** In steps that multiply, these would outlast whoever waits: the runner ends that. */
describe("it never takes long", () => {
  test.each(["(a+)+$", "(a|a)+$", "(a|ab|b)*c", "(\\w|\\d)+$", "(a?){30}a{30}c", ".*a.*a.*a.*a.*c", "(.*,){20}c", "([ab]|a)*?$c"])("%s", (pattern) => {
    const linear = linearPattern(pattern);
    expect(linear?.test("a".repeat(50_000))).toBe(pattern.endsWith("$"));
  });
});

test("however deep it is", () => {
  const deep = (inner: string, around: (inner: string) => string, depth = 80) => Array.from({ length: depth }).reduce((source: string) => around(source), inner);
  expect(linearPattern(deep("a", (inner) => `(${inner})*`))?.test("b")).toBe(true);
  expect(linearPattern(deep("a", (inner) => `(${inner}|b)`))?.test("c")).toBe(false);
  expect(linearPattern(deep("", (inner) => `(${inner}){9}`))).toBeNull();
  expect(linearPattern(deep("a", (inner) => `(${inner}){9}`))).toBeNull();
});

test.each(["(?=a)", "(?!a)", "(?<=a)b", "(?<!a)b", "(a)\\1", "(?<n>a)\\k<n>", "a{4000}{4000}", "(", "(?i:a)"])("%s is none", (pattern) => {
  expect(linearPattern(pattern)).toBeNull();
});

function isPattern(source: string): boolean {
  try {
    return new RegExp(source, "u").source !== "";
  } catch {
    return false;
  }
}
