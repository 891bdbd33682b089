/** What a person said about a card: the calls that may run, which parts of them, a note for those that may not, and what holds from now on. */
import type { LeaseDraft } from "../../app/grants.ts";
import type { RuleScope, RuleTarget } from "../../wire/rule.ts";

export interface CardAnswer {
  allowed: readonly string[];
  denied: readonly string[];
  note?: string;
  /** Of a call, by its id: only these hunks. A call that is not here is meant whole. */
  hunks?: Readonly<Record<string, readonly string[]>>;
  /** The decision also from now on, for whatever fits. */
  remember?: { readonly call: string; readonly scope: RuleScope; readonly target: RuleTarget };
  /** What asks runs by itself for a while. */
  lease?: LeaseDraft;
}
