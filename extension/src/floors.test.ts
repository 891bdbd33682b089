// The house keeps its floors: imports go down only, and only the places made for it touch the browser or React.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";

const ROOT = resolve(import.meta.dirname);

/** The higher may use the lower. What is not listed (`assets`) is data. */
const FLOOR: Readonly<Record<string, number>> = {
  entrypoints: 6,
  ui: 5,
  app: 4,
  agent: 3,
  approval: 2,
  host: 2,
  llm: 2,
  storage: 2,
  wire: 1,
  lib: 0,
};

/** These run in Node as they are: a browser or a view would be the wrong thing to need. */
const PURE = new Set(["agent", "approval", "wire"]);

interface Import {
  readonly file: string;
  readonly folder: string;
  readonly target: string;
}

const imports = readdirSync(ROOT, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !/\.(test|drill)\.tsx?$/.test(entry.name))
  .flatMap((entry): Import[] => {
    const path = join(entry.parentPath, entry.name);
    const file = relative(ROOT, path);
    const folder = file.split("/")[0] ?? "";
    const text = readFileSync(path, "utf8");
    return [...text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map((match) => {
      const specifier = match[1] ?? "";
      return { file, folder, target: specifier.startsWith(".") ? relative(ROOT, resolve(dirname(path), specifier)) : specifier };
    });
  })
  .filter(({ folder }) => folder in FLOOR);

function folderOf(target: string): string {
  return target.split("/")[0] ?? "";
}

test("there is something to look at", () => {
  expect(imports.length).toBeGreaterThan(100);
});

test("imports go down only", () => {
  const upward = imports.filter(({ folder, target }) => folderOf(target) in FLOOR && (FLOOR[folderOf(target)] ?? 0) > (FLOOR[folder] ?? 0));
  expect(upward).toEqual([]);
});

test("the pure floors need neither a browser nor a view", () => {
  expect(imports.filter(({ folder, target }) => PURE.has(folder) && /^(wxt|react|dexie)\b/.test(target))).toEqual([]);
});

test("views know no browser", () => {
  expect(imports.filter(({ folder, target }) => folder === "ui" && /^wxt\b/.test(target))).toEqual([]);
});

test("what is for tests is used by tests alone", () => {
  expect(imports.filter(({ target }) => folderOf(target) === "testing")).toEqual([]);
});
