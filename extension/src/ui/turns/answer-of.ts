/** The last words of a turn: its answer. Empty: it has none yet. */
import type { TurnView } from "../../agent/session-view.ts";

export function answerOf(turn: TurnView): string {
  return turn.steps.findLast((step) => step.state === "done" && step.text.trim() !== "")?.text ?? "";
}
