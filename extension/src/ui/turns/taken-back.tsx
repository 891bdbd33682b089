/** At the end of a branch that once went on: what was taken back, and the way to it. */
import { Redo2 } from "lucide-react";
import { useChat } from "../chat/chat.ts";
import { Button } from "../common/button.tsx";
import { useText } from "../text/use-text.ts";
import type { TakenBack as Taken } from "./branch-points.ts";
import { ReplacedLine } from "./replaced-line.tsx";

export function TakenBack({ taken, filesUndone, replaced }: { taken: Taken; filesUndone: boolean; replaced: number }) {
  const text = useText();
  const chat = useChat();
  if (!chat?.session) return null;
  const { session } = chat;
  const back = () => {
    if (filesUndone) chat.openSheet({ kind: "undo", turn: taken.turn, direction: "redo", what: "both" });
    else void chat.send("selectBranch", { session, branch: taken.branch });
  };
  return (
    <section data-testid="taken-back" className="rounded-lg border border-dashed border-line py-1 pe-1 ps-2.5 text-xs text-soft">
      <div className="flex items-center gap-2">
        <Redo2 aria-hidden size={12} className="shrink-0" />
        <span className="min-w-0 flex-1 truncate">{text.turns.takenBack(taken.turns.length, taken.text)}</span>
        <Button weight="quiet" data-testid="bring-back" disabled={chat.busy} onClick={back}>{text.turns.bringBack}</Button>
      </div>
      {replaced > 0 && <ReplacedLine turn={taken.turn} count={replaced} />}
    </section>
  );
}
