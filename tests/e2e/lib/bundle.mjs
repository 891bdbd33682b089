// What the panel's page makes a browser load before its first picture, and after it; read from a built extension.
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";

/** It was 1 028 kB when every screen came at once, and 899 with every language; now it is 775, with some room. */
export const FIRST_SCRIPT_KB = 830;

/** `{first, later}`: files as `{name, kB}`, the largest first. */
export function scriptsOf(build) {
  const chunks = path.join(build, "chunks");
  const page = readFileSync(path.join(build, "sidepanel.html"), "utf8");
  const first = new Set();
  const take = (name) => {
    if (first.has(name)) return;
    first.add(name);
    // What a chunk imports at its head comes with it; what it imports in a call comes later.
    for (const [, next] of readFileSync(path.join(chunks, name), "utf8").matchAll(/(?:from|import)"\.\/([^"]+\.js)"/g)) take(next);
  };
  for (const [, name] of page.matchAll(/chunks\/([^"]+\.js)/g)) take(name);
  const sized = (names) => names.map((name) => ({ name, kB: statSync(path.join(chunks, name)).size / 1_000 })).toSorted((left, right) => right.kB - left.kB);
  return { first: sized([...first]), later: sized(readdirSync(chunks).filter((name) => name.endsWith(".js") && !first.has(name))) };
}

export function sumOf(files) {
  return files.reduce((sum, { kB }) => sum + kB, 0);
}
