// Mozilla's linter over the built extension: no error, no notice, and no warning but those of libraries, each named here.
//
//     node tests/packages/web-ext.mjs LINTER_JSON
//
// LINTER_JSON is what `web-ext lint --output json` printed.
import { readFileSync } from "node:fs";

/** What the linter sees in code that is not ours and that no build can leave out. */
const KNOWN = [
  // The panel runs in Firefox 140 (ESR); there is none for Android, which the linter cannot be told.
  ["KEY_FIREFOX_ANDROID_UNSUPPORTED_BY_MIN_VERSION", /^manifest\.json$/u],
  // highlight.js can colour an element; we only use its parser. React's way to set HTML, which we never use. micromark reads
  // character references by an element, and has a method called `write`.
  ["UNSAFE_VAR_ASSIGNMENT", /^chunks\/(?:highlight-code|sidepanel)-/u],
  // zod asks once whether code can be made of text; the extension's policy says no.
  ["DANGEROUS_EVAL", /^chunks\/_virtual_wxt-plugins-/u],
];

const { errors, notices, warnings } = JSON.parse(readFileSync(process.argv[2] ?? 0, "utf8"));
const isKnown = ({ code, file }) => KNOWN.some(([known, where]) => code === known && where.test(file));
const found = [...errors, ...notices, ...warnings.filter((warning) => !isKnown(warning))];
for (const { _type, code, file, line, column, message } of found) {
  console.error(`${_type}: ${code} in ${file}:${line ?? ""}:${column ?? ""}: ${message}`);
}
console.log(`${errors.length} errors, ${notices.length} notices, ${warnings.length} warnings (${found.length} to look at)`);
process.exitCode = found.length === 0 ? 0 : 1;
