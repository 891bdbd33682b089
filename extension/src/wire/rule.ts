// What a person decided once and for more than one call: its words, and how it is read back from where it is kept.
import { z } from "zod";

/** Ordered: the strictest wins. */
export const effectSchema = z.enum(["deny", "ask", "allow"]);
export type RuleEffect = z.infer<typeof effectSchema>;

/** `turn` and `session` live in the session's log; the others in the settings of this browser. */
export const scopeSchema = z.enum(["turn", "session", "workspace", "always"]);
export type RuleScope = z.infer<typeof scopeSchema>;

const LONGEST_PATTERN = 500;

/** Everything that is given must fit. */
export const targetSchema = z.object({
  /** A tool's name, or `*`. */
  tool: z.string().min(1),
  workspace: z.string().optional(),
  /** A glob on the canonical paths of the plan. Of an allow rule it must fit all of them, of any other one is enough. */
  path: z.string().min(1).optional(),
  /** The id of an allowlisted command. */
  command: z.string().min(1).optional(),
  /** Tokens of its arguments, each exact or `*`; `**` at the end is any rest. Left out: any arguments. */
  args: z.array(z.string()).optional(),
  /** A regular expression on the arguments as canonical JSON. */
  pattern: z.string().max(LONGEST_PATTERN).optional(),
  /** Who asks: the conversation itself, a schedule, a sub-agent. */
  origin: z.enum(["session", "schedule", "subagent"]).optional(),
});
export type RuleTarget = z.infer<typeof targetSchema>;

const ruleSchema = z.object({
  id: z.string().min(1),
  effect: effectSchema,
  scope: scopeSchema,
  target: targetSchema,
  createdAt: z.number(),
  /** Of a rule for one turn. */
  turn: z.string().optional(),
  uses: z.number().default(0),
  lastUsedAt: z.number().nullable().default(null),
});
export type Rule = z.infer<typeof ruleSchema>;

/**
 * Rules as they were stored. An allow that cannot be read is no allow; what denied or asked and cannot be read any more
 * makes everything ask, until the person has looked at it.
 */
export function readRules(value: unknown): readonly Rule[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((entry: unknown, place): Rule[] => {
    const rule = ruleSchema.safeParse(entry);
    if (rule.success) return [rule.data];
    const known = z.looseObject({ effect: z.string(), id: z.string().optional() }).safeParse(entry);
    if (known.success && known.data.effect === "allow") return [];
    return [{ id: known.data?.id ?? `unreadable-${place}`, effect: "ask", scope: "always", target: { tool: "*" }, createdAt: 0, uses: 0, lastUsedAt: null }];
  });
}

/** Null, or why this rule cannot be made. */
export function faultOfTarget(target: RuleTarget): string | null {
  if (target.pattern !== undefined && compile(target.pattern) === null) return `\`${target.pattern}\` is no regular expression`;
  if (target.args !== undefined && target.command === undefined) return "arguments belong to a command";
  const rest = target.args?.indexOf("**") ?? -1;
  if (rest !== -1 && rest !== (target.args?.length ?? 0) - 1) return "`**` stands for the rest and comes last";
  return null;
}

export function compile(pattern: string): RegExp | null {
  try {
    return new RegExp(pattern, "u");
  } catch {
    return null;
  }
}
