/** What the session knows of a turn beyond the turn itself; the same object as long as it is the same, so that nothing is drawn again for nothing. */
import { useMemo, useRef } from "react";
import type { UndoAsked } from "../../agent/events.ts";
import type { CompactionLog, UndoLog } from "../../agent/log.ts";
import type { SessionView } from "../../agent/session-view.ts";
import { type BranchPoint, branchPoints } from "./branch-points.ts";
import { replacedIn, undoneOf, type UndoWay } from "./undo-way.ts";

export interface TurnFacts {
  point: BranchPoint | null;
  undone: UndoLog | null;
  /** An undo of it was cut off: what finishes it. */
  half: HalfUndo | null;
  /** Files of others that undos of it replaced. */
  replaced: readonly string[];
  compactions: readonly CompactionLog[];
  /** Turns after it. */
  later: number;
}

/** What was asked for, and came to no end. */
export interface HalfUndo {
  turn: string;
  way: UndoWay;
  what: UndoAsked["what"];
  /** Left out: all of its files. */
  paths?: readonly string[];
}

const WAYS: Readonly<Record<UndoAsked["act"], UndoWay>> = { undo: "undo", redo: "redo", bring_back: "replaced" };

/** Null: none was left. */
export function halfUndo({ undoLeft = null }: Pick<SessionView, "undoLeft">): HalfUndo | null {
  if (undoLeft === null) return null;
  const { act, turn, what, paths } = undoLeft;
  return { turn, way: WAYS[act], what, ...(paths === undefined ? {} : { paths }) };
}

const LAST: TurnFacts = { point: null, undone: null, half: null, replaced: [], compactions: [], later: 0 };

export function useTurnFacts(session: SessionView): (turn: string) => TurnFacts {
  const { turns, branches, undone, undoLeft = null, compactions } = session;
  const known = useRef(new Map<string, { key: string; facts: TurnFacts }>());
  // The branches of a view are new objects each time; their turns are what counts.
  const branchKey = branches.length < 2 ? "" : branches.map((branch) => `${branch.id}:${branch.turns.map(({ id }) => id).join()}`).join("|");
  return useMemo(() => {
    const points = branchPoints({ turns, branches });
    const places = new Map(turns.map((turn, place) => [turn.message.id, place]));
    const kept = known.current;
    return (turn: string) => {
      const place = places.get(turn);
      if (place === undefined) return LAST;
      const facts: TurnFacts = {
        point: points.get(turn) ?? null,
        undone: undoneOf(undone, turn),
        half: undoLeft?.turn === turn ? halfUndo({ undoLeft }) : null,
        replaced: replacedIn(undone, [turn]),
        compactions: compactions.filter((each) => each.turn === turn),
        later: turns.length - 1 - place,
      };
      const key = JSON.stringify([facts.point, facts.undone?.at, facts.undone?.files.length, facts.half, facts.replaced, facts.compactions.map(({ id, failed }) => [id, failed]), facts.later]);
      const before = kept.get(turn);
      if (before?.key === key) return before.facts;
      kept.set(turn, { key, facts });
      return facts;
    };
    // oxlint-disable-next-line react/exhaustive-deps -- `branches` is told by its key, and the turns by how many there are and which.
  }, [branchKey, undone, undoLeft, compactions, turns.map((turn) => turn.message.id).join()]);
}
