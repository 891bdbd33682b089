/** The acts on one turn, as intents. Each that takes something away says how to bring it back. */
import type { UndoWhat } from "../../app/branches.ts";
import type { TurnView } from "../../agent/session-view.ts";
import { useChat } from "../chat/chat.ts";
import { grantOrigin } from "../chat/grant-origin.ts";
import { REFUSED } from "../panel/use-intents.ts";
import { useText } from "../text/use-text.ts";
import type { UndoWay } from "./undo-way.ts";

export function useTurnActs(turn: TurnView) {
  const text = useText();
  const chat = useChat();
  const session = chat?.session ?? null;
  const { id } = turn.message;
  const say = async (words: string): Promise<boolean> => chat !== null && session !== null && (await chat.send("editMessage", { session, turn: id, text: words })) !== REFUSED;
  return {
    /** A turn that failed goes on from its last whole step; one that is over is asked again, beside the first answer. */
    retry: async () => {
      if (chat !== null && session !== null && (await grantOrigin(chat, turn.fault?.origin, text))) void chat.send("retryTurn", { session, turn: id });
    },
    say,
    fork: () => session !== null && void chat?.send("forkBranch", { session, from: id, text: null }),
    goBack: (direction: UndoWay, what: UndoWhat) => chat?.openSheet({ kind: "undo", turn: id, direction, what }),
    pin: () => session !== null && void chat?.send("pinTurn", { session, turn: id, pinned: !turn.pinned }),
    copy: async (turns: "turn" | "all") => {
      const copied = chat === null || session === null ? REFUSED : await chat.send("copyTurn", { session, turn: turns === "turn" ? id : null });
      if (copied === REFUSED) return;
      await navigator.clipboard.writeText(copied.markdown);
      chat?.show({ tone: "good", message: text.turns.copied });
    },
    remove: async () => {
      const removed = chat === null || session === null ? REFUSED : await chat.send("deleteTurn", { session, turn: id });
      if (removed === REFUSED || session === null) return;
      chat?.show({ tone: "good", about: "turns", message: text.turns.removed, undo: () => void chat.send("selectBranch", { session, branch: removed.before }) });
    },
  };
}
