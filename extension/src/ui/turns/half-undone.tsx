/** An undo or a redo that was under way when the browser was closed, and for so long that nobody finished it: what finishes it, in full. */
import { TriangleAlert } from "lucide-react";
import { useChat } from "../chat/chat.ts";
import { Button } from "../common/button.tsx";
import { useText } from "../text/use-text.ts";
import type { HalfUndo } from "./turn-facts.ts";

export function HalfUndone({ half: { turn, way, what, paths } }: { half: HalfUndo }) {
  const text = useText();
  const chat = useChat();
  return (
    <section data-testid="half-undone" className="flex items-center gap-2 rounded-lg border border-dashed border-line py-1 pe-1 ps-2.5 text-xs text-warn">
      <TriangleAlert aria-hidden size={12} className="shrink-0" />
      <span className="min-w-0 flex-1">{what === "both" ? text.turns.halfUndoneBoth : text.turns.halfUndone}</span>
      {chat && <Button weight="quiet" data-testid="half-undone-go" disabled={chat.busy} onClick={() => chat.openSheet({ kind: "undo", turn, direction: way, what, ...(paths === undefined ? {} : { paths }) })}>{text.turns.halfUndoneGo}</Button>}
    </section>
  );
}
