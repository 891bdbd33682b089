/** One changed file: its name, what was done to it, and the lines. */
import { ChevronRight, Undo2 } from "lucide-react";
import { useId, useMemo, useState } from "react";
import type { ChangedFile } from "../../app/views.ts";
import { Badge } from "../common/badge.tsx";
import { classNames } from "../common/class-names.ts";
import { conflictWords } from "../common/host-words.ts";
import { IconButton } from "../common/icon-button.tsx";
import { VisibleText } from "../common/visible-text.tsx";
import { DiffCounts } from "../diff/diff-counts.tsx";
import { DiffView } from "../diff/diff-view.tsx";
import { lineEndWords } from "../diff/line-end-words.ts";
import { useText } from "../text/use-text.ts";
import { SplitDiff } from "./split-diff.tsx";

interface FileChangeProps {
  file: ChangedFile;
  startsOpen: boolean;
  split: boolean;
  /** Its change was taken back: it is shown, and counts no more. */
  faded: boolean;
  busy: boolean;
  onTakeBack: (() => void) | null;
}

export function FileChange({ file, startsOpen, split, faded, busy, onTakeBack }: FileChangeProps) {
  const text = useText();
  const words = text.changes;
  const bodyId = useId();
  const [open, setOpen] = useState(startsOpen);
  const hunks = useMemo(() => file.hunks.map((hunk) => ({ ...hunk, lines: [...hunk.lines] })), [file.hunks]);
  const ops: Record<string, string> = words.ops;
  const why = file.folder ? words.folder : file.binary ? words.binary : file.missing === null ? null : conflictWords(file.missing, text);
  return (
    <li data-testid="changed-file" data-path={file.path} data-undone={faded} className="min-w-0 overflow-clip rounded-lg border border-line bg-surface">
      <div className="flex items-center gap-1 pe-1">
        <button type="button" aria-expanded={open} aria-controls={open ? bodyId : undefined} onClick={() => setOpen(!open)} className="flex min-h-9 min-w-0 flex-1 items-center gap-2 px-2.5 py-1 text-start -outline-offset-2">
          <ChevronRight aria-hidden size={12} className={classNames("shrink-0 text-soft transition-transform", open && "rotate-90")} />
          <code dir="ltr" className={classNames("min-w-0 flex-1 text-xs wrap-anywhere", faded && "text-soft line-through")}><VisibleText value={file.path} oneLine wraps /></code>
          {file.op !== "edit" && <Badge>{Object.hasOwn(ops, file.op) ? ops[file.op] : file.op}</Badge>}
          <DiffCounts added={file.added} removed={file.removed} />
        </button>
        {onTakeBack && <IconButton label={words.undoFile(file.path)} data-testid="file-take-back" disabled={busy} icon={<Undo2 size={14} />} onClick={onTakeBack} />}
      </div>
      {open && (
        <div id={bodyId} className="border-t border-line">
          {file.lineEnds && <p className="px-2.5 py-1 text-2xs text-soft">{lineEndWords(file.lineEnds, text)}</p>}
          {file.hunks.length > 0 ? split ? <SplitDiff path={file.path} hunks={hunks} /> : <DiffView path={file.path} hunks={hunks} /> : <p className="px-2.5 py-2 text-xs text-soft">{why === null ? words.noLines : why}</p>}
        </div>
      )}
    </li>
  );
}
