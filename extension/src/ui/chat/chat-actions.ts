/** What a person can do inside the conversation. The panel turns each into an intent. */
import type { CardAnswer } from "../approvals/approval-answer.ts";
import type { WaitingCall } from "../approvals/approval-card.tsx";

export interface ChatActions {
  answer(calls: readonly WaitingCall[], answer: CardAnswer): Promise<boolean>;
  resume(): void;
  stop(): void;
}
