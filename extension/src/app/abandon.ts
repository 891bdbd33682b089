// What a turn that ended without its end still owes, settled before anything new is said.
import { cancelledResult, outcomeUnknownResult } from "../agent/engine-results.ts";
import type { AgentEvent } from "../agent/events.ts";
import type { SessionLog } from "../agent/log.ts";

/** A new message after a failed turn: what that turn still owed is settled first, so that every call has its one result. */
export function abandon(log: SessionLog): readonly AgentEvent[] {
  const last = log.turns.at(-1);
  if (last === undefined) return [];
  const step = last.steps.at(-1);
  const open = step?.state === "sealed" ? step.calls.filter((call) => call.state !== "settled") : [];
  return [
    ...open.flatMap((call): AgentEvent[] => [
      ...(call.question?.status === "active" ? [{ type: "QuestionCancelled" as const, call: call.id }] : []),
      call.sent && !call.readOnly ? outcomeUnknownResult(call) : cancelledResult(call),
    ]),
    ...(step?.state === "sealed" ? [{ type: "StepEnd" as const, step: step.id }] : []),
    ...(last.outcome === null ? [{ type: "TurnEnd" as const, turn: last.id, outcome: "cancelled" as const, fault: null }] : []),
  ];
}
