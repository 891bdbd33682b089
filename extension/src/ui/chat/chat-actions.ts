/** What a person can do inside the conversation. The panel turns each into an intent. */
import type { QuestionAnswer } from "../../agent/events.ts";
import type { TurnView } from "../../agent/session-view.ts";
import type { Proposal } from "../../approval/propose.ts";
import type { RuleTarget } from "../../wire/rule.ts";
import type { CardAnswer } from "../approvals/approval-answer.ts";
import type { WaitingCall } from "../approvals/approval-card.tsx";

export interface ChatActions {
  answer(calls: readonly WaitingCall[], answer: CardAnswer): Promise<boolean>;
  /** Other arguments for a call that waits; its fresh card follows. */
  editArgs(call: WaitingCall, argsText: string): Promise<boolean>;
  /** What "from now on" may mean for a call, the narrowest first. */
  propose(call: string): Promise<readonly Proposal[]>;
  /** Which of the last calls such a rule would have let through; null: it is no rule. */
  preview(target: RuleTarget): Promise<Proposal["alsoMatches"] | null>;
  answerQuestion(call: string, answer: QuestionAnswer): Promise<boolean>;
  /** The person does not want to say; the agent goes on without. */
  skipQuestion(call: string): Promise<boolean>;
  resume(): void;
  /** Goes on with a turn that failed; asks the browser first for the address that it failed for. Called in the press itself. */
  retry(turn: Pick<TurnView, "fault">): void;
  requestOrigin(address: string): Promise<boolean>;
  stop(): void;
}
