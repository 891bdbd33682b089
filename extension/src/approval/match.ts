// Whether a rule speaks of a call. Doubt makes an allow smaller and a deny larger. Pure.
import { globCovers, globMatches } from "../lib/glob.ts";
import { linearPattern } from "../lib/linear-pattern.ts";
import { type RuleEffect, type RuleTarget } from "../wire/rule.ts";
import type { Subject } from "./subject.ts";

export function matches(target: RuleTarget, effect: RuleEffect, subject: Subject): boolean {
  if (target.tool !== "*" && target.tool !== subject.tool) return false;
  if (target.workspace !== undefined && target.workspace !== subject.workspace && (effect === "allow" || subject.workspace !== null)) return false;
  if (target.origin !== undefined && target.origin !== subject.origin) return false;
  if (target.path !== undefined && !pathFits(target.path, effect, subject.paths)) return false;
  if (target.command !== undefined && target.command !== subject.command) return false;
  if (target.args !== undefined && !tokensFit(target.args, subject.args)) return false;
  return target.pattern === undefined || patternFits(target.pattern, effect, subject.canonical);
}

/** A longer one is nobody's file, but could keep a glob busy for hours: it is in doubt, whatever the glob says. */
const LONGEST_PATH = 1_024;

/** An allow must know every path and fit each; of a deny one is enough, however it is written in capitals, and what lies in it. */
function pathFits(glob: string, effect: RuleEffect, paths: readonly string[]): boolean {
  if (effect === "allow") return paths.length > 0 && paths.every((path) => path.length <= LONGEST_PATH && globMatches(glob, path));
  return paths.some((path) => path.length > LONGEST_PATH || globCovers(glob, path));
}

/** Token by token: `git` is not the beginning of `gitk`. */
function tokensFit(wanted: readonly string[], tokens: readonly string[]): boolean {
  const open = wanted.at(-1) === "**";
  const fixed = open ? wanted.slice(0, -1) : wanted;
  if (open ? tokens.length < fixed.length : tokens.length !== fixed.length) return false;
  return fixed.every((token, place) => token === "*" || token === tokens[place]);
}

/** A longer one keeps the background busy for seconds with a large expression: it is in doubt, whatever it says. */
const LONGEST_TEXT = 20_000;

function patternFits(pattern: string, effect: RuleEffect, text: string): boolean {
  const compiled = text.length > LONGEST_TEXT ? null : linearPattern(pattern);
  return compiled === null ? effect !== "allow" : compiled.test(text);
}
