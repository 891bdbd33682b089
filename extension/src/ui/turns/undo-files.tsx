/** What would happen to each file: put back, deleted, there again, or left alone because it changed since. */
import type { UndoReport } from "../../app/branches.ts";
import { conflictWords } from "../common/host-words.ts";
import { VisibleText } from "../common/visible-text.tsx";
import { useText } from "../text/use-text.ts";

export function UndoFiles({ files }: { files: UndoReport["files"] }) {
  const text = useText();
  const words = text.turns;
  const actions: Record<string, string> = words.actions;
  return (
    <ul data-testid="undo-files" className="divide-y divide-line rounded-md border border-line text-xs">
      {files.map((file) => (
        <li key={`${file.turn} ${file.path}`} className="px-2.5 py-1.5" data-conflict={file.conflict !== null}>
          <span className="flex items-start gap-2">
            <code className="min-w-0 flex-1 wrap-anywhere"><VisibleText value={file.path} oneLine wraps /></code>
            {file.conflict === null && <span className="shrink-0 text-soft">{Object.hasOwn(actions, file.action) ? actions[file.action] : file.action}</span>}
          </span>
          {file.conflict !== null && <span className="block text-2xs text-warn"><VisibleText value={conflictWords(file.conflict, text)} oneLine wraps /></span>}
        </li>
      ))}
    </ul>
  );
}
