// The checklist the project grew from, held against the tests: each row and each fault of the ancestor that is the engine's has a
// test which names it, in its title or in the first lines of its file.
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

/** Of the feature checklist; 42, 69 and 76 are the panel's alone, 27 and 63 the host's, the others come later or not. */
const ROWS = [1, 2, 3, 4, 5, 6, 8, 10, 11, 12, 13, 14, 15, 16, 18, 19, 20, 21, 22, 23, 24, 26, 28, 29, 30, 31, 32, 35, 36, 37, 38, 39, 40, 41, 43, 44, 45, 47, 48, 49, 50, 51, 52, 53, 55, 56, 57, 58, 60, 61, 62, 64, 65, 67, 68, 71, 72, 73, 74, 75, 77, 78, 79, 80, 81, 82];

/** All of the ancestor's. */
const FAULTS = Array.from({ length: 22 }, (_, place) => place + 1);

const SOURCES = [resolve(import.meta.dirname), resolve(import.meta.dirname, "../../tests/e2e")];

const words = SOURCES.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(?:test|drill)\.(?:tsx?|mjs)$/.test(name) && !name.endsWith("rows.test.ts"))
    .map((name) => readFileSync(join(folder, name), "utf8")),
).join("\n");

function named(kind: RegExp): ReadonlySet<number> {
  return new Set([...words.matchAll(kind)].flatMap((match) => [...(match[1] ?? "").matchAll(/\d+/g)].map(Number)));
}

test("every row of the engine has a test that names it", () => {
  const found = named(/[Rr]ows? ((?:\d+(?:, )?)+)/g);
  expect(ROWS.filter((row) => !found.has(row))).toEqual([]);
});

test("every fault of the ancestor's engine has a test that names it", () => {
  const found = named(/faults? ((?:\d+(?:, )?)+)/g);
  expect(FAULTS.filter((fault) => !found.has(fault))).toEqual([]);
});
