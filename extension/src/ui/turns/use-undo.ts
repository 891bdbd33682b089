/**
 * Taking a turn back, or bringing it back: first a look at what would happen to its files, then the act itself.
 *
 * Files that changed since are told before anything is done, and again where one changed between the look and the act.
 */
import { useCallback, useEffect, useState } from "react";
import type { UndoReport, UndoWhat } from "../../app/branches.ts";
import type { Chat } from "../chat/chat.ts";
import { REFUSED } from "../panel/use-intents.ts";
import { type ConflictAnswer, conflictOptions } from "./conflict-choice.tsx";
import { askUndo, type UndoWay } from "./undo-way.ts";

export type Look = "looking" | "no_host" | UndoReport["files"];

export interface UndoAct {
  look: Look;
  conflicts: UndoReport["files"];
  /** Resolves to the report, or null where it was not done. */
  run(what: UndoWhat, answer: ConflictAnswer | null): Promise<UndoReport | null>;
}

export function useUndo({ session, send }: Chat, turn: string, way: UndoWay, paths: readonly string[] | undefined): UndoAct {
  const [look, setLook] = useState<Look>("looking");
  useEffect(() => {
    if (session === null) return;
    let isCurrent = true;
    void askUndo(send, way, { session, turn, what: "files", dryRun: true, skipConflicts: false, ...(paths === undefined ? {} : { paths }) }).then((report) => isCurrent && setLook(report === REFUSED ? "no_host" : report.files));
    return () => {
      isCurrent = false;
    };
  }, [session, send, way, turn, paths]);
  const run = useCallback(
    async (what: UndoWhat, answer: ConflictAnswer | null) => {
      const report = session === null ? REFUSED : await askUndo(send, way, { session, turn, what, dryRun: false, ...(paths === undefined ? {} : { paths }), ...conflictOptions(answer) });
      if (report === REFUSED) return null;
      if (report.state !== "conflict") return report;
      setLook(report.files);
      return null;
    },
    [session, send, way, turn, paths],
  );
  return { look, conflicts: typeof look === "string" ? [] : look.filter((file) => file.conflict !== null), run };
}
