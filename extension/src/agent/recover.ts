// What is written down when a session is taken up again after the engine died. Pure.
//
// It only says what was lost; everything else is owed by the folded log itself (`step.ts`).
import type { AgentEvent } from "./events.ts";
import { waitsForPerson, type CallLog, type SessionLog } from "./log.ts";
import { STALE_TURN_MS } from "./limits.ts";
import { activeTurn, due } from "./step.ts";

export const INTERRUPTED = "interrupted";
export const SUMMARY_INTERRUPTED = "summary_interrupted";

/** `waitedFor`: calls whose agents wait for a person. */
export function recover(log: SessionLog, now: number, waitedFor: ReadonlySet<string> = new Set()): readonly AgentEvent[] {
  return [...undoLeft(log, now), ...recoverTurn(log, now, waitedFor)];
}

/** What was taken back only in part so long ago is not gone on with behind a person's back; any other is finished by the engine. */
function undoLeft({ undoing, turns, updatedAt }: SessionLog, now: number): readonly AgentEvent[] {
  if (undoing === null || now - updatedAt <= STALE_TURN_MS) return [];
  // The conversation goes last: where that was taken back, all was.
  const isWhole = undoing.act === "undo" && undoing.what === "both" && turns.every(({ id }) => id !== undoing.turn);
  return [{ type: "UndoEnded", undo: undoing.undo, state: isWhole ? "done" : "left" }];
}

function recoverTurn(log: SessionLog, now: number, waitedFor: ReadonlySet<string>): readonly AgentEvent[] {
  const turn = activeTurn(log);
  if (turn === undefined) return summaryCut(log, now);
  // Of what the person has stopped, nothing is owed but its end.
  if (turn.paused !== null || turn.stopping || !turn.begun) return [];
  const last = turn.steps.at(-1);
  const isWaiting = (call: CallLog) => waitsForPerson(call) || (call.state !== "settled" && waitedFor.has(call.id));
  const waits = last?.state === "sealed" && last.calls.some(isWaiting);
  const events: AgentEvent[] = [];
  if (last?.state === "streaming") {
    events.push({
      type: "StreamCut",
      step: last.id,
      retryAfterMs: null,
      fault: { code: INTERRUPTED, message: "The answer was cut off: the browser stopped the engine.", hint: "Press Retry.", retryable: true },
    });
  }
  if (!waits && now - log.updatedAt > STALE_TURN_MS) {
    events.push({
      type: "TurnEnd",
      turn: turn.id,
      outcome: "failed",
      fault: {
        code: "stale_turn",
        message: "This turn was interrupted more than 30 minutes ago.",
        hint: "Nothing was done since. Press Retry to go on where it stopped.",
        retryable: true,
      },
    });
    return events;
  }
  events.push(...summaryCut(log, now));
  // What waits for a person lost nothing: however often the browser is closed meanwhile, it waits on.
  const lost = last?.state === "sealed" ? last.calls.filter((call) => call.sent && call.state !== "settled" && !isWaiting(call)) : [];
  if (last?.state === "streaming") events.push(recovered(turn.id, "The answer was cut off by a restart and is asked for again."));
  else if (lost.length > 0) events.push(recovered(turn.id, `The engine restarted while ${lost.map((call) => call.tool).join(", ")} ran; the host says what became of it.`));
  return events;
}

/** A summary may have been under way: it was paid for, and is asked for again no more often than an answer is. */
function summaryCut(log: SessionLog, now: number): readonly AgentEvent[] {
  const making = due(log).find((effect) => effect.kind === "compact");
  if (making === undefined) return [];
  const before = log.compactRetry;
  const fault = { code: SUMMARY_INTERRUPTED, message: "The summary was cut off: the browser stopped the engine.", hint: "The conversation is kept as it is.", retryable: true };
  return [{ type: "CompactRetryScheduled", compaction: log.compactRequested ?? making.key, attempt: (before?.attempt ?? 0) + 1, billed: (before?.billed ?? 0) + 1, at: now, fault }];
}

function recovered(turn: string, what: string): AgentEvent {
  return { type: "Recovered", turn, what };
}
