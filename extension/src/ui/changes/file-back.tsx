/** A file of a turn that was put back while others of it were not. Its lines stand as before the turn, so there are none to show. */
import { Redo2 } from "lucide-react";
import { Badge } from "../common/badge.tsx";
import { IconButton } from "../common/icon-button.tsx";
import { VisibleText } from "../common/visible-text.tsx";
import { useText } from "../text/use-text.ts";

export function FileBack({ path, busy, onBringBack }: { path: string; busy: boolean; onBringBack: (() => void) | null }) {
  const words = useText().changes;
  return (
    <li data-testid="changed-file" data-path={path} data-undone className="flex min-h-9 min-w-0 items-center gap-2 rounded-lg border border-line bg-surface py-1 pe-1 ps-7">
      <code dir="ltr" className="min-w-0 flex-1 text-xs text-soft line-through wrap-anywhere"><VisibleText value={path} oneLine wraps /></code>
      <Badge tone="warn">{words.isUndone}</Badge>
      {onBringBack && <IconButton label={words.redoFile(path)} data-testid="file-bring-back" disabled={busy} icon={<Redo2 size={14} />} onClick={onBringBack} />}
    </li>
  );
}
