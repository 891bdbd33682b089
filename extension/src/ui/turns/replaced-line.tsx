/** A line of its own on what an undo put over somebody's work, with the way to have that again. */
import { FileInput } from "lucide-react";
import { useChat } from "../chat/chat.ts";
import { Button } from "../common/button.tsx";
import { useText } from "../text/use-text.ts";

export function ReplacedLine({ turn, count }: { turn: string; count: number }) {
  const words = useText().turns;
  const chat = useChat();
  return (
    <div className="flex items-center gap-2">
      <FileInput aria-hidden size={12} className="shrink-0" />
      <span className="min-w-0 flex-1">{words.replaced(count)}</span>
      {chat && <Button weight="quiet" data-testid="note-bring-replaced" disabled={chat.busy} onClick={() => chat.openSheet({ kind: "undo", turn, direction: "replaced", what: "files" })}>{words.bringReplaced(count)}</Button>}
    </div>
  );
}
