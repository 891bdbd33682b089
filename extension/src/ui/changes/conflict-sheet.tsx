/** Which files changed since the turn, and the choice to leave those as they are. */
import { Button } from "../common/button.tsx";
import { Sheet } from "../common/sheet.tsx";
import { useText } from "../text/use-text.ts";
import { UndoFiles } from "../turns/undo-files.tsx";
import type { TakeBackConflict } from "./use-take-back.ts";

interface ConflictSheetProps {
  conflict: TakeBackConflict;
  onGo: () => void;
  onClose: () => void;
}

export function ConflictSheet({ conflict, onGo, onClose }: ConflictSheetProps) {
  const text = useText();
  const words = text.changes;
  const rest = conflict.files.filter((file) => file.conflict === null).length;
  return (
    <Sheet
      title={words.conflictTitle(conflict.files.length - rest)}
      hint={words.conflictHint}
      testId="conflict-sheet"
      onClose={onClose}
      actions={
        <>
          <Button weight="quiet" onClick={onClose}>{text.common.cancel}</Button>
          {rest > 0 && <Button data-testid="conflict-skip" onClick={onGo}>{words.leaveThose(rest)}</Button>}
        </>
      }
    >
      <UndoFiles files={conflict.files} />
    </Sheet>
  );
}
