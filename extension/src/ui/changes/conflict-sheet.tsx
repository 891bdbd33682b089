/** Which files changed since the turn, and what shall become of those. */
import { useState } from "react";
import { Button } from "../common/button.tsx";
import { Sheet } from "../common/sheet.tsx";
import { useText } from "../text/use-text.ts";
import { type ConflictAnswer, ConflictChoice } from "../turns/conflict-choice.tsx";
import { UndoFiles } from "../turns/undo-files.tsx";
import type { TakeBackConflict } from "./use-take-back.ts";

interface ConflictSheetProps {
  conflict: TakeBackConflict;
  onGo: (answer: ConflictAnswer) => void;
  onClose: () => void;
}

export function ConflictSheet({ conflict, onGo, onClose }: ConflictSheetProps) {
  const text = useText();
  const words = text.changes;
  const [answer, setAnswer] = useState<ConflictAnswer | null>(null);
  const count = conflict.files.filter((file) => file.conflict !== null).length;
  return (
    <Sheet
      title={words.conflictTitle(count)}
      hint={words.conflictHint}
      testId="conflict-sheet"
      onClose={onClose}
      actions={
        <>
          <Button weight={answer === "overwrite" ? "danger" : "primary"} data-testid="conflict-go" disabled={answer === null} onClick={() => answer !== null && onGo(answer)}>{conflict.act.direction === "undo" ? words.undo : conflict.act.direction === "redo" ? words.redo : text.turns.bringBack}</Button>
          <Button weight="quiet" onClick={onClose}>{text.common.cancel}</Button>
        </>
      }
    >
      <div className="flex flex-col gap-2">
        <UndoFiles files={conflict.files} />
        <ConflictChoice count={count} value={answer} onChange={setAnswer} />
      </div>
    </Sheet>
  );
}
