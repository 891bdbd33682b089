// Every word a person reads comes from the catalogue; every colour and length from the tokens.
import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const here = new URL("..", import.meta.url).pathname;
const files = globSync("**/*.tsx", { cwd: here, exclude: ["gallery/**", "**/*.test.tsx"] });

test.each(files)("%s", (file) => {
  const source = readFileSync(`${here}/${file}`, "utf8").replaceAll(/^\s*\/\/.*$|\/\*[\s\S]*?\*\//gm, "");
  expect(source.match(/<[A-Za-z][^<>]*>\s*[A-Za-z][a-z]{2,}[^<{}]*<\//g) ?? [], "words between tags").toEqual([]);
  expect(source.match(/\b(?:aria-label|title|placeholder|alt|label)="[^"]+"/g) ?? [], "words in attributes").toEqual([]);
  expect(source.match(/#[0-9a-f]{6}\b|-\[(?!420px)[0-9.]+(?:px|rem|em)\]/g) ?? [], "values beside the tokens").toEqual([]);
});
