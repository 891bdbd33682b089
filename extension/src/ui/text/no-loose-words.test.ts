// Every word a person reads comes from the catalogue; every colour and length from the tokens; every side is a start or an end.
import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const here = new URL("..", import.meta.url).pathname;
const files = globSync("**/*.{ts,tsx}", { cwd: here, exclude: ["gallery/**", "text/**", "**/*.test.{ts,tsx}"] });

/** Names of keys, ours, what only a developer reads, and the patterns by which the host's English is known. */
const NO_WORDS = new Set(["Escape", "Enter", "Delete", "Comma", "Tab", "Esc", "Outrigger", "noopener noreferrer nofollow", "a screen stands outside the panel"]);
const PATTERNS = new Set(["approvals/plan-words.ts", "common/host-words.ts"]);
/** Code and its line numbers run from left to right in every language. */
const LEFT_TO_RIGHT = new Set(["changes/split-diff.tsx", "diff/diff-line.tsx"]);

const withoutComments = (file: string) => readFileSync(`${here}/${file}`, "utf8").replaceAll(/^\s*\/\/.*$|\/\*[\s\S]*?\*\//gm, "");

/** A text that is no class, id, address or name: two words in a row, or one that begins like a sentence. */
function isForReaders(literal: string): boolean {
  const plain = literal.replaceAll(/\$\{[^}]*\}/g, " ");
  if (NO_WORDS.has(literal) || /[a-z]-[a-z0-9[]|:[a-z]|\bflex\b/.test(plain)) return false;
  return /\b[A-Z][a-z]+ [a-z]+|^[A-Z][a-z]{2,}[.!?]?$|\b[a-z]{2,} [a-z]{2,} [a-z]{2,}\b|[a-z]{3,}[.!?] ?$/.test(plain);
}

test.each(files)("%s", (file) => {
  const source = withoutComments(file);
  const literals = source.replaceAll(/^(?:import|export) .*from .*$|^} from .*$|^import .*$/gm, "").matchAll(/(["'`])((?:(?!\1)[^\\\n]|\\.)*)\1/g);
  expect(PATTERNS.has(file) ? [] : [...literals].map(([, , words]) => String(words)).filter(isForReaders), "words in the code").toEqual([]);
  if (!file.endsWith(".tsx")) return;
  expect(source.match(/<[A-Za-z][^<>]*>\s*[A-Za-z][a-z]{2,}[^<{}]*<\//g) ?? [], "words between tags").toEqual([]);
  expect(source.match(/\b(?:aria-label|title|placeholder|alt|label)="[^"]+"/g) ?? [], "words in attributes").toEqual([]);
  expect(source.match(/#[0-9a-f]{6}\b|-\[(?!420px)[0-9.]+(?:px|rem|em)\]/g) ?? [], "values beside the tokens").toEqual([]);
  if (LEFT_TO_RIGHT.has(file)) return;
  expect(source.match(/(?<=["\s])-?(?:[pm][lr]-[\d.]+|(?:left|right)-[\d.]+|text-(?:left|right)|border-[lr]|rounded-[lr])(?=["\s])/g) ?? [], "a left or right where a start or end is meant").toEqual([]);
});

test("the check finds what it looks for", () => {
  for (const words of ["Show more", "Done", "this is no class"]) expect(isForReaders(words), words).toBe(true);
  for (const words of ["px-2.5 py-1 text-xs", "open-history", "Enter", "inline-flex min-w-0"]) expect(isForReaders(words), words).toBe(false);
});
