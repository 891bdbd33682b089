/** At the end of a branch that once went on: what was taken back, and the way to it. */
import { Redo2 } from "lucide-react";
import { useChat } from "../chat/chat.ts";
import { Button } from "../common/button.tsx";
import { useText } from "../text/use-text.ts";
import type { TakenBack as Taken } from "./branch-points.ts";

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
    <section data-testid="taken-back" className="flex flex-wrap items-center justify-end gap-x-2 rounded-lg border border-dashed border-line py-1 pe-1 ps-2.5 text-xs text-soft">
      <Redo2 aria-hidden size={12} className="shrink-0" />
      <span className="min-w-0 flex-1 truncate">{text.turns.takenBack}: {taken.text}</span>
      {replaced > 0 && <Button weight="quiet" data-testid="note-bring-replaced" disabled={chat.busy} onClick={() => chat.openSheet({ kind: "undo", turn: taken.turn, direction: "replaced", what: "files" })}>{text.turns.bringReplaced(replaced)}</Button>}
      <Button weight="quiet" data-testid="bring-back" disabled={chat.busy} onClick={back}>{text.turns.bringBack}</Button>
    </section>
  );
}
