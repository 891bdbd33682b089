/** What a person can do inside the conversation. The panel turns each into an intent. */
import type { QuestionAnswer } from "../../agent/events.ts";
import type { CardAnswer } from "../approvals/approval-answer.ts";
import type { WaitingCall } from "../approvals/approval-card.tsx";

export interface ChatActions {
  answer(calls: readonly WaitingCall[], answer: CardAnswer): Promise<boolean>;
  answerQuestion(call: string, answer: QuestionAnswer): Promise<boolean>;
  /** The person does not want to say; the agent goes on without. */
  skipQuestion(call: string): Promise<boolean>;
  resume(): void;
  stop(): void;
}
