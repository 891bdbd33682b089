/** What a card can ask of the engine and the browser, beside answering. Left out: the card offers nothing of it. */
import type { Proposal } from "../../approval/propose.ts";
import type { RuleTarget } from "../../wire/rule.ts";
import type { WaitingCall } from "./approval-card.tsx";

export interface CardActs {
  propose(call: string): Promise<readonly Proposal[]>;
  preview(target: RuleTarget): Promise<Proposal["alsoMatches"] | null>;
  /** Resolves to false where the arguments were not taken. */
  editArgs(call: WaitingCall, argsText: string): Promise<boolean>;
  /** Whether the browser lets us ask this address. Called in the press itself, before anything is awaited: only there browsers ask a person. */
  requestOrigin(address: string): Promise<boolean>;
}

/** How far an answer reaches. */
export type Reach = "once" | "remember" | "lease";
