// The row of a session in the list: a projection like any other, stored with each event so that the list needs no logs.
import type { SessionRow } from "../storage/storage.ts";
import { isSealed, waitsForPerson, type SessionLog } from "./log.ts";
import { titleOf, turnStatus } from "./projection.ts";
import { due } from "./step.ts";

export function summarise(log: SessionLog): SessionRow {
  const last = log.turns.at(-1);
  const cards = last?.outcome === null ? last.steps.filter(isSealed).flatMap((step) => step.calls).filter(waitsForPerson).length : 0;
  // A turn that asks whether it should go on has no card, and waits for a person all the same.
  const waiting = Math.max(cards, last !== undefined && last.paused !== null && turnStatus(last) === "needs_you" ? 1 : 0);
  return {
    id: log.session,
    title: titleOf(log),
    status: statusOf(log),
    workspace: log.config.workspace,
    model: log.config.model,
    createdAt: log.createdAt,
    updatedAt: log.updatedAt,
    waiting,
    seq: log.seq,
    origin: log.origin,
    ...(log.pinned ? { pinned: true } : {}),
    ...(log.tags.length === 0 ? {} : { tags: log.tags }),
    ...(log.undoing === null ? {} : { undoing: true as const }),
  };
}

/** A session that still owes something is `running`, so that it is taken up again after a restart. */
function statusOf(log: SessionLog): SessionRow["status"] {
  const last = log.turns.at(-1);
  if (last === undefined) return "idle";
  return last.outcome !== null && due(log).length > 0 ? "running" : turnStatus(last);
}
