// From one answered card to a rule: the narrowest first, each with which of the last calls it would also have let through. Pure.
import { exactGlob } from "../lib/glob.ts";
import { matches } from "./match.ts";
import type { RuleEffect, RuleTarget } from "../wire/rule.ts";
import type { Subject } from "./subject.ts";

export interface PastCall {
  readonly call: string;
  readonly subject: Subject;
  readonly summary: string;
}

export interface Proposal {
  readonly target: RuleTarget;
  /** Of the last calls, those it would have let through; the one it is made from is not among them. */
  readonly alsoMatches: readonly { readonly call: string; readonly summary: string }[];
}

/** Calls looked back at. Enough to see a rule that is too wide, few enough to read. */
export const LOOK_BACK = 20;

/** Null where no rule can be narrow enough to be proposed: such a call asks each time. */
export function propose(call: string, subject: Subject, past: readonly PastCall[]): readonly Proposal[] {
  const recent = past.filter((each) => each.call !== call).slice(-LOOK_BACK);
  return targetsFor(subject).map((target) => ({ target, alsoMatches: alsoMatching(target, recent) }));
}

/** With what a rule of this effect speaks of: a deny is meant more widely than an allow. */
export function alsoMatching(target: RuleTarget, past: readonly PastCall[], effect: RuleEffect = "allow"): Proposal["alsoMatches"] {
  return past.slice(-LOOK_BACK).filter(({ subject }) => matches(target, effect, subject)).map(({ call, summary }) => ({ call, summary }));
}

function targetsFor(subject: Subject): readonly RuleTarget[] {
  const base: RuleTarget = {
    tool: subject.tool,
    ...(subject.workspace === null ? {} : { workspace: subject.workspace }),
    // A scheduled run follows no other.
    ...(subject.origin === "schedule" ? { origin: "schedule" } : {}),
  };
  if (subject.command !== null) {
    const exact: RuleTarget = { ...base, command: subject.command, args: [...subject.args] };
    // A token of its own that is a star would be a wildcard.
    const isPlain = subject.args.every((token) => token !== "*" && token !== "**");
    return [...(isPlain ? [exact] : []), { ...base, command: subject.command }];
  }
  if (subject.paths.length === 0) return [{ ...base, pattern: `^${escape(subject.canonical)}$` }].filter(({ pattern }) => pattern.length <= 500);
  const exact = subject.paths.length === 1 ? exactGlob(subject.paths[0] ?? "") : `{${subject.paths.map((path) => exactGlob(path).replaceAll(",", "\\,")).join(",")}}`;
  const folder = commonFolder(subject.paths);
  return [{ ...base, path: exact }, ...(folder === "" ? [] : [{ ...base, path: `${exactGlob(folder)}/**` }])];
}

/** The deepest folder that holds all of them; empty is the workspace itself, which is too wide to propose. */
function commonFolder(paths: readonly string[]): string {
  const folders = paths.map((path) => path.split("/").slice(0, -1));
  const first = folders[0] ?? [];
  const depth = first.findIndex((part, place) => folders.some((parts) => parts[place] !== part));
  return (depth === -1 ? first : first.slice(0, depth)).join("/");
}

function escape(text: string): string {
  return text.replaceAll(/[$()*+./?[\\\]^{|}]/gu, String.raw`\$&`);
}
