/** One file of a plan: what happens to it, how much, whether it can be undone, and every line. */
import { ChevronRight } from "lucide-react";
import { formatBytes } from "../../lib/format-bytes.ts";
import type { PlannedFile } from "../../wire/plan.ts";
import { classNames } from "../common/class-names.ts";
import { FactsLine } from "../common/facts-line.tsx";
import { VisibleText } from "../common/visible-text.tsx";
import { DiffCounts } from "../diff/diff-counts.tsx";
import { DiffView, type HunkTicks } from "../diff/diff-view.tsx";
import { lineEndWords } from "../diff/line-end-words.ts";
import { useText } from "../text/use-text.ts";
import { modeWords } from "./mode-words.ts";

interface FilePartProps {
  file: PlannedFile;
  open: boolean;
  tellsUndo: boolean;
  onToggle: () => void;
  ticks?: HunkTicks | undefined;
}

export function FilePart({ file, open, tellsUndo, onToggle, ticks }: FilePartProps) {
  const text = useText();
  const words = text.approval.files;
  const operations: Record<string, string> = { create: words.create, overwrite: words.overwrite, append: words.append, edit: words.edit, delete: words.delete, rename: words.rename, copy: words.copy, create_folder: words.createFolder };
  const facts = [
    Object.hasOwn(operations, file.op) ? operations[file.op] : file.op,
    typeof file.entries === "number" ? words.entries(file.entries) : null,
    modeWords(file, text),
    file.line_ends ? lineEndWords(file.line_ends, text) : null,
    typeof file.after_bytes === "number" ? (typeof file.before_bytes === "number" && file.before_bytes !== file.after_bytes ? words.bytes(formatBytes(file.before_bytes, text.language.tag), formatBytes(file.after_bytes, text.language.tag)) : formatBytes(file.after_bytes, text.language.tag)) : null,
    tellsUndo ? (file.undoable ? text.approval.undoable : text.approval.notUndoable) : null,
  ];
  return (
    <>
      <button type="button" aria-expanded={open} onClick={onToggle} className="flex min-w-0 flex-1 items-start gap-1.5 px-2.5 py-1.5 text-start hover:bg-sunken">
        <ChevronRight aria-hidden size={12} className={classNames("mt-1 shrink-0 text-soft transition-transform", open && "rotate-90")} />
        <span className="min-w-0 flex-1">
          <span className="block font-mono text-xs wrap-anywhere">
            <VisibleText value={file.path} oneLine wraps />
          </span>
          {typeof file.from === "string" && (
            <span className="block font-mono text-xs wrap-anywhere text-soft">
              {words.from} <VisibleText value={file.from} oneLine wraps />
            </span>
          )}
          <span className="block text-2xs text-soft"><FactsLine>{facts}</FactsLine></span>
        </span>
        <span className="mt-0.5">
          <DiffCounts added={file.added} removed={file.removed} />
        </span>
      </button>
      {open && <div className="w-full border-t border-line">{file.hunks.length > 0 ? <DiffView path={file.path} hunks={file.hunks} ticks={ticks} /> : <p className="px-2.5 py-1.5 text-xs text-soft">{file.op === "delete" ? words.allGoes : isSame(file) ? words.noLines : words.notShown}</p>}</div>}
    </>
  );
}

/** As long as before, or with no content to speak of: a new name, a copy, an empty file; and no line comes or goes. */
function isSame({ op, before_bytes: before, after_bytes: after, added, removed }: PlannedFile): boolean {
  if (added + removed > 0) return false;
  return typeof after !== "number" || after === 0 || op === "rename" || op === "copy" || before === after;
}
