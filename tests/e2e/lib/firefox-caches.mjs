// What Firefox keeps to start sooner: put into each new profile where `warm-firefox.mjs` has kept some. What is not of its very build
// it throws away by itself.
import { cpSync, existsSync, mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { ROOT } from "./places.mjs";

const KEPT = path.join(ROOT, "target/firefox-caches");
const PARTS = ["startupCache", "compatibility.ini"];

/** Puts them into a profile that was not used yet. */
export function warm(profile) {
  if (existsSync(KEPT) && !existsSync(path.join(profile, "compatibility.ini"))) cpSync(KEPT, profile, { recursive: true });
}

/** Keeps those of a profile whose browser has ended. */
export function keep(profile) {
  rmSync(KEPT, { recursive: true, force: true });
  mkdirSync(KEPT, { recursive: true });
  for (const part of PARTS) cpSync(path.join(profile, part), path.join(KEPT, part), { recursive: true });
}
