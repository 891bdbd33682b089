// Whether a plan is put before a person. Pure. The host has refused what it never allows before this is asked.
import type { Mode } from "../wire/events.ts";
import type { Tier } from "../wire/plan.ts";

export interface Verdict {
  readonly decision: "ask" | "allow";
  /** What decided: `tier:<tier>` or `rule:<id>`. Shown, and recorded by the host. */
  readonly by: string;
}

/** A call of the tier `auto` has no plan; in `plan` mode the host refuses what changes something. */
export function decide(mode: Mode, tier: Tier): Verdict {
  if (mode === "accept_edits" && tier === "batch") return { decision: "allow", by: "rule:accept_edits" };
  return { decision: "ask", by: `tier:${tier}` };
}
