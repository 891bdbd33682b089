// When a person should know: something waits for them, a turn is over, or it failed. Pure; who shows it is another matter.
import { turnStatus } from "../agent/projection.ts";
import type { StoredEvent } from "../agent/events.ts";
import type { SessionLog } from "../agent/log.ts";
import type { Attention } from "./views.ts";

const ASKS: ReadonlySet<string> = new Set(["ApprovalAsked", "QuestionAsked", "TurnPaused"]);

/** Null: nothing that happened just now is a person's business. */
export function attentionOf(events: readonly StoredEvent[], log: SessionLog): Attention["kind"] | null {
  const turn = log.turns.at(-1);
  if (turn === undefined) return null;
  if (turnStatus(turn) === "needs_you" && events.some(({ event }) => ASKS.has(event.type))) return "needs_you";
  // What a sub-agent or a side thread ends with is told by the session it belongs to.
  if (log.origin?.kind === "subagent" || log.origin?.kind === "side") return null;
  const end = events.find(({ event }) => event.type === "TurnEnd")?.event;
  if (end?.type !== "TurnEnd" || end.outcome === "cancelled") return null;
  return end.outcome === "failed" ? "failed" : "done";
}

export interface BadgeState {
  readonly waiting: number;
  /** Ended while no panel was open. */
  readonly unseen: "done" | "failed" | null;
}

/** What waits comes first; the rest is a sign that something was done. */
export function badgeOf({ waiting, unseen }: BadgeState): { readonly text: string; readonly color: string } {
  if (waiting > 0) return { text: String(waiting), color: "#b3261e" };
  if (unseen === "failed") return { text: "!", color: "#7a4f01" };
  return { text: unseen === "done" ? "✓" : "", color: "#1b6e3c" };
}
