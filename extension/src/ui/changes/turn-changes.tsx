/** What one turn changed: its files, each with its diff, and the way back for all of them. */
import { Redo2, Undo2 } from "lucide-react";
import { useId } from "react";
import type { ChangedFile, TurnChanges } from "../../app/views.ts";
import { Badge } from "../common/badge.tsx";
import { Button } from "../common/button.tsx";
import { TimeAgo } from "../common/time-ago.tsx";
import { DiffCounts } from "../diff/diff-counts.tsx";
import { useText } from "../text/use-text.ts";
import { FileBack } from "./file-back.tsx";
import { FileChange } from "./file-change.tsx";
import type { TakeBackAct } from "./use-take-back.ts";

interface TurnChangesProps {
  changes: TurnChanges;
  /** What was asked; null where a sub-agent did it, or the turn stands on another branch. */
  message: string | null;
  /** Turns after it go with it. */
  later: number;
  /** Files of it that were put back, while others were not. */
  back: ReadonlySet<string>;
  split: boolean;
  /** Its buttons take nothing, and look as ever. */
  busy: boolean;
  onTakeBack: (act: TakeBackAct) => void;
}

export function TurnChangesCard({ changes, message, later, back, split, busy, onTakeBack }: TurnChangesProps) {
  const text = useText();
  const words = text.changes;
  const id = useId();
  const isUndone = changes.state === "undone";
  // The host tells of a turn's changes that stand.
  const put = changes.state === "partly" ? [...back].filter((path) => changes.files.every((file) => file.path !== path)) : [];
  const direction = isUndone ? "redo" : "undo";
  const added = changes.files.reduce((sum, file) => sum + file.added, 0);
  const removed = changes.files.reduce((sum, file) => sum + file.removed, 0);
  // The files of a sub-agent's turn are put back where that turn is.
  const shown = changes.files.filter((file) => !isImplied(file, changes.files));
  const count = shown.length + put.length;
  const canTakeBack = message !== null && changes.files.length > 0;
  return (
    <section aria-labelledby={id} data-testid="turn-changes" data-turn={changes.turn} data-state={changes.state} className="min-w-0">
      <div className="mb-1.5 flex min-w-0 items-start gap-2">
        <div className="min-w-0 flex-1">
          <h2 id={id} className="truncate text-sm font-semibold">{message ?? words.elsewhere}</h2>
          <p className="flex flex-wrap items-center gap-x-2 text-2xs text-soft">
            {(count > 0 || changes.commands === 0) && <span>{words.files(count)}</span>}
            {added + removed > 0 && <DiffCounts added={added} removed={removed} />}
            {changes.finishedAt !== null && <TimeAgo at={changes.finishedAt} />}
            {isUndone && <Badge tone="warn">{words.isUndone}</Badge>}
            {changes.state === "partly" && <Badge tone="warn">{words.isPartly}</Badge>}
          </p>
        </div>
        {canTakeBack && <Button weight="plain" data-testid="turn-take-back" settling={busy} disabled={busy} icon={isUndone ? <Redo2 aria-hidden size={13} /> : <Undo2 aria-hidden size={13} />} onClick={() => onTakeBack({ direction, turn: changes.turn, path: null })}>{isUndone ? words.redo : later > 0 ? words.undoFrom : words.undo}</Button>}
      </div>
      {message !== null && changes.replaced.length > 0 && (
        <p data-testid="turn-replaced" className="mb-1.5 flex items-center gap-2 rounded-lg border border-dashed border-line py-1 pe-1 ps-2.5 text-xs text-soft">
          <span className="min-w-0 flex-1">{text.turns.replaced(changes.replaced.length)}</span>
          <Button weight="quiet" data-testid="turn-bring-replaced" settling={busy} disabled={busy} onClick={() => onTakeBack({ direction: "replaced", turn: changes.turn, path: null })}>{text.turns.bringReplaced(changes.replaced.length)}</Button>
        </p>
      )}
      {changes.commands > 0 && <p className="mb-1.5 text-xs text-soft">{words.commands(changes.commands)}</p>}
      <ul className="flex flex-col gap-2">
        {shown.map((file) => (
          <FileChange key={file.path} file={file} startsOpen={shown.length <= 3} split={split} faded={isUndone} busy={busy} onTakeBack={canTakeBack && !isUndone ? () => onTakeBack({ direction: "undo", turn: changes.turn, path: file.path }) : null} />
        ))}
        {put.map((path) => <FileBack key={path} path={path} busy={busy} onBringBack={canTakeBack ? () => onTakeBack({ direction: "redo", turn: changes.turn, path }) : null} />)}
      </ul>
    </section>
  );
}

/** A folder that was made for a file which stands here, too. */
function isImplied({ folder, op, path }: ChangedFile, files: readonly ChangedFile[]): boolean {
  return folder && (op === "create" || op === "mkdir") && files.some((file) => !file.folder && file.path.startsWith(`${path}/`));
}
