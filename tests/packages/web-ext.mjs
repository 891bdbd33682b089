// Mozilla's linter over the built extension: no error, no notice, and no warning but those of libraries, each known here by its words.
//
//     node tests/packages/web-ext.mjs LINTER_JSON FOLDER
//
// LINTER_JSON is what `web-ext lint --output json` printed about FOLDER.
import { readFileSync } from "node:fs";
import path from "node:path";

/** How far around the place of a warning its words may stand. */
const AROUND = 90;

/** What the linter sees in code that is not ours and that no build can leave out. Which file it comes into is the bundler's choice. */
const KNOWN = [
  // The panel runs in Firefox 140 (ESR); there is none for Android, which the linter cannot be told.
  { code: "KEY_FIREFOX_ANDROID_UNSUPPORTED_BY_MIN_VERSION", file: /^manifest\.json$/u },
  // highlight.js can colour an element; we only use its parser.
  { code: "UNSAFE_VAR_ASSIGNMENT", words: /\.innerHTML=[\w$]+\.value,[\w$]+\.dataset\.highlighted=/u },
  // React's way to set HTML, which we never use.
  { code: "UNSAFE_VAR_ASSIGNMENT", words: /\.__html!==([\w$]+)&&\([\w$]+\.innerHTML=\1\)/u },
  // micromark reads character references by an element, and has a method called `write`.
  { code: "UNSAFE_VAR_ASSIGNMENT", words: /let ([\w$]+)=`&`\+[\w$]+\+`;`;[\w$]+\.innerHTML=\1;/u },
  { code: "UNSAFE_VAR_ASSIGNMENT", words: /\)\.document\(\)\.write\([\w$]+\(\)\(/u },
  // zod asks once whether code can be made of text; the extension's policy says no.
  { code: "DANGEROUS_EVAL", words: /try\{return Function\(``\),!0\}catch\{return!1\}/u },
];

const [report, folder] = process.argv.slice(2);
const { errors, notices, warnings } = JSON.parse(readFileSync(report, "utf8"));

function wordsAt({ file, line, column }) {
  if (!line) return "";
  const text = readFileSync(path.join(folder, file), "utf8").split("\n")[line - 1] ?? "";
  return text.slice(Math.max(0, column - AROUND), column + AROUND);
}

const isKnown = (warning) => KNOWN.some(({ code, file, words }) => code === warning.code && (file ?? /./u).test(warning.file) && (words ?? /^/u).test(wordsAt(warning)));
const found = [...errors, ...notices, ...warnings.filter((warning) => !isKnown(warning))];
for (const fault of found) {
  const { _type, code, file, line, column, message } = fault;
  console.error(`${_type}: ${code} in ${file}:${line ?? ""}:${column ?? ""}: ${message}\n  ${wordsAt(fault)}`);
}
console.log(`${errors.length} errors, ${notices.length} notices, ${warnings.length} warnings (${found.length} to look at)`);
process.exitCode = found.length === 0 ? 0 : 1;
