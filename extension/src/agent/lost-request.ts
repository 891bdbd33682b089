// A request to a model whose engine died before it was over: nobody measured it to its end, and it was asked all the same. Pure.
import type { AgentEvent } from "./events.ts";
import { INTERRUPTED, SUMMARY_INTERRUPTED } from "./recover.ts";
import type { SessionLog } from "./log.ts";
import type { Trace } from "./trace.ts";

/** From the log as it was found, and what was written down about that. */
export function lostRequests(log: SessionLog, recovered: readonly AgentEvent[]): readonly Trace[] {
  const turn = log.turns.at(-1);
  return recovered.flatMap((event): Trace[] => {
    if (turn === undefined) return [];
    if (event.type === "StreamCut" && event.fault.code === INTERRUPTED) {
      const began = turn.steps.find(({ id }) => id === event.step)?.startedAt ?? log.updatedAt;
      return [lost(log, turn.config.model, event.step, began, INTERRUPTED)];
    }
    return event.type === "CompactRetryScheduled" && event.fault.code === SUMMARY_INTERRUPTED ? [lost(log, turn.config.model, event.compaction, log.updatedAt, SUMMARY_INTERRUPTED)] : [];
  });
}

function lost({ session, updatedAt }: SessionLog, model: string, step: string, at: number, code: string): Trace {
  return { session, step, model, at, requestId: null, queueMs: 0, firstTokenMs: null, totalMs: Math.max(0, updatedAt - at), tokensPerSecond: null, outcome: "failed", code };
}
