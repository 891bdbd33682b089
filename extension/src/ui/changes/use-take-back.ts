/**
 * Puts files of a turn back, or brings the change back. Tried dry first: where a file was changed since, nothing is done until the
 * person has seen which.
 */
import { useCallback, useState } from "react";
import type { UndoReport } from "../../app/branches.ts";
import { usePanel } from "../panel/panel-context.ts";
import { REFUSED } from "../panel/use-intents.ts";
import { useText } from "../text/use-text.ts";
import { type ConflictAnswer, conflictOptions } from "../turns/conflict-choice.tsx";
import { askUndo, type UndoWay, wayBack } from "../turns/undo-way.ts";

export interface TakeBackAct {
  readonly direction: UndoWay;
  readonly turn: string;
  /** Null: all of the turn. */
  readonly path: string | null;
}

export interface TakeBackConflict {
  readonly act: TakeBackAct;
  readonly files: UndoReport["files"];
}

export function useTakeBack(session: string, onDone: () => void) {
  const text = useText();
  const { send, show } = usePanel();
  const [busy, setBusy] = useState(false);
  const [conflict, setConflict] = useState<TakeBackConflict | null>(null);

  const attempt = useCallback(
    async function tryIt(act: TakeBackAct, answer: ConflictAnswer | null): Promise<void> {
      const { direction, turn, path } = act;
      setBusy(true);
      setConflict(null);
      const report = await askUndo(send, direction, { session, turn, what: "files", ...conflictOptions(answer), ...(path === null ? {} : { paths: [path] }) });
      setBusy(false);
      if (report === REFUSED) return;
      if (report.state === "conflict") return setConflict({ act, files: report.files });
      onDone();
      const count = report.files.filter((file) => file.conflict === null).length;
      const replaced = report.files.filter((file) => file.replaced).length;
      const words = text.changes;
      const back = wayBack(direction, report);
      show({
        tone: "good",
        about: "turns",
        message: count === 0 ? words.nothingDone : words.did[direction](count),
        ...(count === 0 || back === null ? {} : { undo: () => void tryIt({ direction: back, turn, path }, null) }),
        ...(replaced === 0 ? {} : { detail: text.turns.replaced(replaced), undoLabel: text.turns.bringReplaced(replaced) }),
      });
    },
    [session, send, show, onDone, text],
  );

  return {
    busy,
    conflict,
    run: useCallback((act: TakeBackAct) => void attempt(act, null), [attempt]),
    goOn: (answer: ConflictAnswer) => conflict && void attempt(conflict.act, answer),
    close: () => setConflict(null),
  };
}
