/** The three ways through a turn's files: back, forth, and what an undo replaced of somebody else's. Each is one intent with the same answer. */
import type { UndoReport, UndoWhat } from "../../app/branches.ts";
import type { UndoneFile } from "../../agent/events.ts";
import type { UndoLog } from "../../agent/log.ts";
import type { REFUSED, SendIntent } from "../panel/use-intents.ts";

export type UndoWay = "undo" | "redo" | "replaced";

interface UndoAsk {
  session: string;
  turn: string;
  what: UndoWhat;
  dryRun?: boolean;
  skipConflicts?: boolean;
  overwrite?: boolean;
  paths?: readonly string[];
}

export function askUndo(send: SendIntent, way: UndoWay, { what, ...rest }: UndoAsk): Promise<UndoReport | typeof REFUSED> {
  if (way === "replaced") return send("bringBackReplaced", rest);
  return send(way === "undo" ? "undoTurn" : "redoTurn", { ...rest, what });
}

/** What can be done after it: what it replaced comes first, for nothing else brings that back. */
export function wayBack(way: UndoWay, report: UndoReport): UndoWay | null {
  if (report.files.some(({ replaced }) => replaced === true)) return "replaced";
  return way === "replaced" || report.state === "nothing" ? null : way === "undo" ? "redo" : "undo";
}

/** Files that undos of these turns, or of agents that worked for them, replaced, as far as they can be brought back. */
export function replacedIn(undone: readonly UndoLog[], turns: readonly string[]): readonly string[] {
  const wanted = new Set(turns);
  return [...new Set(undone.flatMap((each) => (wanted.has(each.within ?? each.turn) ? (each.replaced ?? []) : [])))];
}

/** How the files of a turn stand, with those that agents changed for it; a file that several of them changed counts once. Null: none was ever taken back. */
export function undoneOf(undone: readonly UndoLog[], turn: string): UndoLog | null {
  const family = undone.filter((each) => (each.within ?? each.turn) === turn);
  const taken = family.filter(({ direction }) => direction === "undo");
  const last = (taken.length === 0 ? family : taken).at(-1);
  if (last === undefined || taken.length === 0) return last ?? null;
  const files = new Map<string, UndoneFile>();
  for (const file of taken.flatMap((each) => each.files)) if (files.get(file.path)?.conflict !== null) files.set(file.path, file);
  return { ...last, turn, files: [...files.values()], at: Math.max(...family.map(({ at }) => at)) };
}
