// Why a write of events failed. Dexie gathers what went wrong with each under one name, whatever it was.
import { SequenceTaken } from "./storage.ts";

/**
 * Only a key that was there already says that somebody else wrote; a full disk is told as what it is.
 *
 * `reason`: why the browser gave the whole write up. Each of its parts then says no more than that it was.
 */
export function appendFault(error: unknown, session: string, seq: number, reason: unknown = null): unknown {
  const told = toldFault(error, session, seq);
  return told instanceof Error && told.name === "AbortError" && (reason instanceof Error || reason instanceof DOMException) ? reason : told;
}

function toldFault(error: unknown, session: string, seq: number): unknown {
  if (!(error instanceof Error)) return error;
  const inner = "failures" in error && Array.isArray(error.failures) ? error.failures.filter((each): each is Error => each instanceof Error || each instanceof DOMException) : [];
  const other = inner.find(({ name }) => name !== "ConstraintError");
  if (other !== undefined) return other;
  return error.name === "ConstraintError" || inner.length > 0 ? new SequenceTaken(session, seq) : error;
}
