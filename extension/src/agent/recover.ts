// What is written down when a session is taken up again after the engine died. Pure.
//
// It only says what was lost; everything else is owed by the folded log itself (`step.ts`).
import type { AgentEvent } from "./events.ts";
import { waitsForPerson, type SessionLog } from "./log.ts";
import { STALE_TURN_MS } from "./limits.ts";
import { activeTurn } from "./step.ts";

export function recover(log: SessionLog, now: number): readonly AgentEvent[] {
  const turn = activeTurn(log);
  if (turn === undefined) return [];
  // Of what the person has stopped, nothing is owed but its end.
  if (turn.paused !== null || turn.stopping || !turn.begun) return [];
  const last = turn.steps.at(-1);
  const waits = last?.state === "sealed" && last.calls.some(waitsForPerson);
  const events: AgentEvent[] = [];
  if (last?.state === "streaming") {
    events.push({
      type: "StreamCut",
      step: last.id,
      retryAfterMs: null,
      fault: { code: "interrupted", message: "The answer was cut off: the browser stopped the engine.", hint: "Press Retry.", retryable: true },
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
  const lost = last?.state === "sealed" ? last.calls.filter((call) => call.sent && call.state !== "settled") : [];
  if (last?.state === "streaming") events.push(recovered(turn.id, "The answer was cut off by a restart and is asked for again."));
  else if (lost.length > 0) events.push(recovered(turn.id, `The engine restarted while ${lost.map((call) => call.tool).join(", ")} ran; the host says what became of it.`));
  return events;
}

function recovered(turn: string, what: string): AgentEvent {
  return { type: "Recovered", turn, what };
}
