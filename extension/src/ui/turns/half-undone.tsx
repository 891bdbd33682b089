/** Files of a turn that were being put back when the browser was closed, and for so long that nobody finished it. */
import { TriangleAlert } from "lucide-react";
import { useChat } from "../chat/chat.ts";
import { Button } from "../common/button.tsx";
import { useText } from "../text/use-text.ts";
import type { UndoWay } from "./undo-way.ts";

export function HalfUndone({ turn, way }: { turn: string; way: UndoWay }) {
  const text = useText();
  const chat = useChat();
  return (
    <section data-testid="half-undone" className="flex items-center gap-2 rounded-lg border border-dashed border-line py-1 pe-1 ps-2.5 text-xs text-warn">
      <TriangleAlert aria-hidden size={12} className="shrink-0" />
      <span className="min-w-0 flex-1">{text.turns.halfUndone}</span>
      {chat && <Button weight="quiet" data-testid="half-undone-go" disabled={chat.busy} onClick={() => chat.openSheet({ kind: "undo", turn, direction: way, what: "files" })}>{text.turns.halfUndoneGo}</Button>}
    </section>
  );
}
