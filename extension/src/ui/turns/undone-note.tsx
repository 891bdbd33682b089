/** Under a turn whose files were put back: how many, which were left alone, which were replaced, and the way to have them again. */
import { Undo2 } from "lucide-react";
import type { UndoLog } from "../../agent/log.ts";
import { useChat } from "../chat/chat.ts";
import { Button } from "../common/button.tsx";
import { useText } from "../text/use-text.ts";
import { ReplacedLine } from "./replaced-line.tsx";

export function UndoneNote({ turn, undone, replaced }: { turn: string; undone: UndoLog | null; replaced: number }) {
  const text = useText();
  const chat = useChat();
  const isUndone = undone?.direction === "undo";
  if (!isUndone && replaced === 0) return null;
  const kept = isUndone ? undone.files.filter((file) => file.conflict !== null).length : 0;
  return (
    <section data-testid="undone-note" className="flex flex-col gap-1 rounded-lg border border-dashed border-line py-1 pe-1 ps-2.5 text-xs text-soft">
      {isUndone && (
        <div className="flex items-center gap-2">
          <Undo2 aria-hidden size={12} className="shrink-0" />
          <span className="min-w-0 flex-1">
            {text.turns.filesBack(undone.files.length - kept)}
            {kept > 0 && <> {text.turns.filesKept(kept)}</>}
          </span>
          {chat && <Button weight="quiet" disabled={chat.busy} onClick={() => chat.openSheet({ kind: "undo", turn, direction: "redo", what: "files" })}>{text.turns.bringBack}</Button>}
        </div>
      )}
      {replaced > 0 && <ReplacedLine turn={turn} count={replaced} />}
    </section>
  );
}
