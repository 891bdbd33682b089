// What a person decided once and for more than one call: its words. How it is read back is in `read-rules.ts`, so that what only
// shows rules need not carry a decoder.

import { isGlob } from "../lib/glob.ts";
import { linearPattern } from "../lib/linear-pattern.ts";

/** Ordered: the strictest wins. */
export const RULE_EFFECTS = ["deny", "ask", "allow"] as const;
export type RuleEffect = (typeof RULE_EFFECTS)[number];

/** `turn` and `session` live in the session's log; the others in the settings of this browser. */
export const RULE_SCOPES = ["turn", "session", "workspace", "always"] as const;
export type RuleScope = (typeof RULE_SCOPES)[number];

/** Everything that is given must fit. */
export interface RuleTarget {
  /** A tool's name, or `*`. */
  tool: string;
  workspace?: string | undefined;
  /** A glob on the canonical paths of the plan. Of an allow rule it must fit all of them, of any other one is enough. */
  path?: string | undefined;
  /** The id of an allowlisted command. */
  command?: string | undefined;
  /** Tokens of its arguments, each exact or `*`; `**` at the end is any rest. Left out: any arguments. */
  args?: string[] | undefined;
  /** A regular expression on the arguments as canonical JSON. */
  pattern?: string | undefined;
  /** Who asks: the conversation itself, a schedule, a sub-agent. */
  origin?: "session" | "schedule" | "subagent" | undefined;
}

export interface Rule {
  id: string;
  effect: RuleEffect;
  scope: RuleScope;
  target: RuleTarget;
  createdAt: number;
  /** Of a rule for one turn. */
  turn?: string | undefined;
  uses: number;
  lastUsedAt: number | null;
}

/** Why a target speaks of no call: what is wrong, and the words it is wrong in. */
export interface TargetFault {
  code: "no_expression" | "slow_expression" | "no_glob" | "args_without_command" | "rest_not_last";
  what: string;
}

/** Null, or why this rule cannot be made. */
export function faultOfTarget(target: RuleTarget): TargetFault | null {
  if (target.pattern !== undefined && compile(target.pattern) === null) return { code: "no_expression", what: target.pattern };
  if (target.pattern !== undefined && linearPattern(target.pattern) === null) return { code: "slow_expression", what: target.pattern };
  if (target.path !== undefined && !isGlob(target.path)) return { code: "no_glob", what: target.path };
  if (target.args !== undefined && target.command === undefined) return { code: "args_without_command", what: target.args.join(" ") };
  const rest = target.args?.indexOf("**") ?? -1;
  if (rest !== -1 && rest !== (target.args?.length ?? 0) - 1) return { code: "rest_not_last", what: "**" };
  return null;
}

export function compile(pattern: string): RegExp | null {
  try {
    return new RegExp(pattern, "u");
  } catch {
    return null;
  }
}
