// The row of a session in the list: a projection like any other, stored with each event so that the list needs no logs.
import type { SessionRow } from "../storage/storage.ts";
import { isSealed, type SessionLog } from "./fold.ts";
import { titleOf, turnStatus } from "./projection.ts";

export function summarise(log: SessionLog): SessionRow {
  const last = log.turns.at(-1);
  const waiting = last?.outcome === null ? last.steps.filter(isSealed).flatMap((step) => step.calls).filter((call) => call.state === "asked").length : 0;
  return {
    id: log.session,
    title: titleOf(log),
    status: last === undefined ? "idle" : turnStatus(last),
    workspace: log.config.workspace,
    model: log.config.model,
    createdAt: log.createdAt,
    updatedAt: log.updatedAt,
    waiting,
    seq: log.seq,
  };
}
