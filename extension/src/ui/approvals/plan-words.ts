/**
 * A plan's title and reasons in the reader's language. The host says them in English, by fixed patterns with the facts in them;
 * what fits none of them is shown as it came, so that nothing is ever hidden.
 */
import type { Catalogue } from "../text/catalogue.ts";

type Acts = keyof Catalogue["plan"]["acts"];
type Reasons = keyof Catalogue["plan"]["reasons"];

const COUNTS = String.raw` \(\+(\d+) −(\d+)\)$`;

const ACTS: readonly (readonly [RegExp, Acts])[] = [
  [new RegExp(`^Edit (.+)${COUNTS}`, "u"), "edit"],
  [new RegExp(`^Create (.+)${COUNTS}`, "u"), "create"],
  [new RegExp(`^Overwrite (.+)${COUNTS}`, "u"), "overwrite"],
  [new RegExp(`^Append to (.+)${COUNTS}`, "u"), "append"],
  [new RegExp(`^Patch (\\d+) files?${COUNTS}`, "u"), "patch"],
  [/^Run (.+)$/u, "run"],
  [/^Commit (\d+) files? to (.+)$/u, "commit"],
  [/^Stage (\d+) paths?$/u, "stage"],
  [/^Unstage (\d+) paths?$/u, "unstage"],
  [/^Delete (?!the )(.+) \((\d+) bytes\)$/u, "remove"],
  [/^Make the folder (.+)$/u, "folder"],
  [/^Restore (\d+) files? from (.+)$/u, "restore"],
];

// What stands in backticks keeps them: it is drawn as code.
const REASONS: readonly (readonly [RegExp, Reasons])[] = [
  [/^(`[^`]+`) asks before it changes something$/u, "batch"],
  [/^(`[^`]+`) asks each time$/u, "each"],
  [/^this command asks before it changes something$/u, "commandBatch"],
  [/^this command asks each time$/u, "commandEach"],
  [/^the configuration says that (`[^`]+`) asks (?:each time|before it changes something)$/u, "configured"],
  [/^(`[^`]+`) is a protected path: other programs act on what it says$/u, "protected"],
  [/^(`[^`]+`) is overwritten by a caller that did not say which version it read$/u, "unread"],
  [/^(`[^`]+`) becomes executable$/u, "executable"],
  [/^(`[^`]+`) is a branch that others build on$/u, "shared"],
  [/^it replaces the last commit$/u, "amends"],
  [/^text of (.+) is in this conversation, so nothing runs by itself$/u, "strangers"],
];

export function actWords(summary: string, text: Catalogue): string {
  return said(summary, ACTS, text.plan.acts);
}

export function reasonWords(reason: string, text: Catalogue): string {
  return said(reason, REASONS, text.plan.reasons);
}

function said<Name extends string>(original: string, patterns: readonly (readonly [RegExp, Name])[], words: Readonly<Record<Name, string | ((...facts: string[]) => string)>>): string {
  for (const [pattern, name] of patterns) {
    const found = pattern.exec(original);
    if (found === null) continue;
    const word = words[name];
    return typeof word === "string" ? word : word(...found.slice(1));
  }
  return original;
}
