// What a whole step comes to: the model goes on, perhaps with a word of a hook, or the person has the word. Pure.
//
// The third way, another profile going on, is an event of its own (`HandedOver`): after it the turn goes on as any other.
import type { Fault } from "./events.ts";
import { completionNotes, dueNotes, type DueNote } from "./hooks/catalog.ts";
import type { SessionLog, StepLog, TurnLog } from "./log.ts";

export type Outcome =
  /** `notes` are written first. */
  | { readonly kind: "continue"; readonly notes: readonly DueNote[] }
  | { readonly kind: "await_user"; readonly fault: Fault | null };

export function outcomeOf(log: SessionLog, turn: TurnLog, last: StepLog): Outcome {
  // Resumed after the step was over, steered, or asked by a hook: it goes on, whatever it said.
  const isCalledOn = turn.resumedAt === turn.steps.length || isLast(turn, turn.steers) || isLast(turn, turn.notes);
  const isFinal = last.calls.length === 0 || last.calls.some((call) => call.tool === FINISH && call.result?.isError === false);
  if (!isFinal || isCalledOn) return { kind: "continue", notes: isFinal ? [] : dueNotes(log, turn) };
  const fault = last.calls.length === 0 ? faultOfEnd(last) : null;
  if (fault !== null) return { kind: "await_user", fault };
  if (last.calls.length === 0 && last.text.trim() === "") return { kind: "await_user", fault: EMPTY_ANSWER };
  const notes = completionNotes(log, turn);
  return notes.length === 0 ? { kind: "await_user", fault: null } : { kind: "continue", notes };
}

function isLast(turn: TurnLog, said: readonly { readonly afterSteps: number }[]): boolean {
  return said.at(-1)?.afterSteps === turn.steps.length;
}

/** Why an answer that has no calls is not whole all the same; null: it is. */
function faultOfEnd({ finish }: StepLog): Fault | null {
  return finish === "length" ? CUT_SHORT : finish === "content_filter" ? FILTERED : null;
}

/** The tool by which a model says that it is done; see `loop-tools/finish.ts`. */
const FINISH = "finish";

const CUT_SHORT: Fault = {
  code: "answer_cut",
  message: "The answer reached the model's output limit before it was whole.",
  hint: "Press Retry, and the model goes on where it stopped; or choose one that may say more at once.",
  retryable: true,
};

const FILTERED: Fault = {
  code: "answer_filtered",
  message: "The provider's filter ended the answer.",
  hint: "What came before it stands. Say it in other words, or choose another model.",
  retryable: true,
};

const EMPTY_ANSWER: Fault = {
  code: "empty_answer",
  message: "The model ended without an answer.",
  hint: "Press Retry, or choose another model.",
  retryable: true,
};
