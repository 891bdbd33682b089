// Whether a call runs, is put before a person, or is refused. Pure. The host has refused what it never allows before this is asked.
//
// The order: deny rules, always-ask rules, allow rules, the tool's tier under the mode or a lease, ask. The strictest wins,
// wherever it was made. What would run by itself asks while text of strangers is in the conversation.
import type { Mode } from "../wire/events.ts";
import type { Tier } from "../wire/plan.ts";
import { leaseFor, type Lease } from "./lease.ts";
import { matches } from "./match.ts";
import type { Rule } from "../wire/rule.ts";
import type { Subject } from "./subject.ts";

export interface Verdict {
  readonly decision: "ask" | "allow" | "deny";
  /** What decided: `tier:<tier>`, `rule:<id>`, `lease:<id>`, `taint`, `origin`. Shown, and recorded by the host. */
  readonly by: string;
  /** For the card: why it asks although something would have let it run. */
  readonly reason: string | null;
}

export interface Circumstances {
  readonly mode: Mode;
  readonly rules: readonly Rule[];
  readonly leases: readonly Lease[];
  /** Whose text is in the conversation: pages, fetched addresses. */
  readonly taint: readonly string[];
  readonly turn: string;
  readonly now: number;
}

/** Of a call the host asks about. */
export function decide(subject: Subject, tier: Tier, circumstances: Circumstances): Verdict {
  const { mode, leases, taint, now } = circumstances;
  const rules = applicable(subject, circumstances);
  const strict = rules.find((rule) => rule.effect === "deny") ?? rules.find((rule) => rule.effect === "ask");
  if (strict !== undefined) return verdictOf(strict);
  // In plan mode nothing that changes something runs by itself, whatever was allowed for other times.
  if (mode === "plan") return { decision: "ask", by: `tier:${tier}`, reason: null };
  const freed = freedBy(rules, mode, tier, leases, now);
  if (freed === null) return { decision: "ask", by: `tier:${tier}`, reason: null };
  return tainted(taint) ?? { decision: "allow", by: freed, reason: null };
}

/** Of a call that the host would run without asking: it runs, unless a rule says otherwise. */
export function decideRead(subject: Subject, circumstances: Circumstances): Verdict {
  const rules = applicable(subject, circumstances);
  const strict = rules.find((rule) => rule.effect === "deny") ?? rules.find((rule) => rule.effect === "ask");
  return strict === undefined ? { decision: "allow", by: "tier:auto", reason: null } : verdictOf(strict);
}

/** Of a call that changes something and runs without the host's asking: as a read, but not while text of strangers is there. */
export function decideAtOnce(subject: Subject, circumstances: Circumstances): Verdict {
  const verdict = decideRead(subject, circumstances);
  return verdict.decision === "allow" ? (tainted(circumstances.taint) ?? verdict) : verdict;
}

/** Denied whatever its arguments are: it is not even offered to the model. */
export function isDeniedEverywhere(tool: string, workspace: string | null, rules: readonly Rule[]): boolean {
  return rules.some(({ effect, scope, target }) => {
    const { tool: name, workspace: place, ...narrower } = target;
    const isBroad = Object.values(narrower).every((value) => value === undefined);
    return effect === "deny" && scope !== "turn" && isBroad && (name === "*" || name === tool) && (place === undefined || place === workspace);
  });
}

function tainted(taint: readonly string[]): Verdict | null {
  return taint.length === 0 ? null : { decision: "ask", by: "taint", reason: `text of ${taint.join(", ")} is in this conversation, so nothing runs by itself` };
}

function applicable(subject: Subject, { rules, turn }: Circumstances): readonly Rule[] {
  return rules.filter((rule) => (rule.scope !== "turn" || rule.turn === turn) && matches(rule.target, rule.effect, subject));
}

function verdictOf(rule: Rule): Verdict {
  const decision = rule.effect === "deny" ? "deny" : "ask";
  return { decision, by: `rule:${rule.id}`, reason: decision === "ask" ? "a rule of yours says to ask always" : "a rule of yours denies it" };
}

function freedBy(rules: readonly Rule[], mode: Mode, tier: Tier, leases: readonly Lease[], now: number): string | null {
  const allowed = rules.find((rule) => rule.effect === "allow");
  if (allowed !== undefined) return `rule:${allowed.id}`;
  if (mode === "accept_edits" && tier === "batch") return "rule:accept_edits";
  const lease = leaseFor(leases, tier, now);
  return lease === null ? null : `lease:${lease.id}`;
}
