// Rules as they were stored or sent, decoded: what cannot be read never allows anything.
import { z } from "zod";
import { RULE_EFFECTS, RULE_SCOPES, type Rule, type RuleTarget } from "./rule.ts";

export const effectSchema = z.enum(RULE_EFFECTS);
export const scopeSchema = z.enum(RULE_SCOPES);

const LONGEST_PATTERN = 500;

export const targetSchema: z.ZodType<RuleTarget> = z.object({
  tool: z.string().min(1),
  workspace: z.string().optional(),
  path: z.string().min(1).optional(),
  command: z.string().min(1).optional(),
  args: z.array(z.string()).optional(),
  pattern: z.string().max(LONGEST_PATTERN).optional(),
  origin: z.enum(["session", "schedule", "subagent"]).optional(),
});

const ruleSchema: z.ZodType<Rule> = z.object({
  id: z.string().min(1),
  effect: effectSchema,
  scope: scopeSchema,
  target: targetSchema,
  createdAt: z.number(),
  turn: z.string().optional(),
  uses: z.number().default(0),
  lastUsedAt: z.number().nullable().default(null),
});

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
