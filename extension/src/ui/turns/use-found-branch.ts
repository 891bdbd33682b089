/** A turn that is looked for may stand on another branch than the one that is shown: that one is shown then, once. */
import { useEffect, useRef } from "react";
import type { SessionView } from "../../agent/session-view.ts";
import { useChat } from "../chat/chat.ts";
import type { FoundTurn } from "../chat/turn-list.tsx";

/** What was found, as soon as it is among the turns that are shown. */
export function useFoundBranch(session: Pick<SessionView, "id" | "branch" | "turns" | "branches">, found: FoundTurn | null): FoundTurn | null {
  const chat = useChat();
  /** Who goes on to another branch from there is not brought back. */
  const done = useRef<FoundTurn | null>(null);
  /** The turn that is being gone to, and from which branch. */
  const going = useRef<string | null>(null);
  const isSeen = found !== null && session.turns.some(({ message }) => message.id === found.turn);
  const branch = found === null || isSeen ? undefined : session.branches.findLast(({ turns }) => turns.some(({ id }) => id === found.turn))?.id;
  const isFree = chat !== null && !chat.busy;
  const way = `${found?.turn} ${session.branch}`;
  useEffect(() => {
    if (isSeen) {
      done.current = found;
      going.current = null;
    }
    if (found === done.current || branch === undefined || !isFree || going.current === way) return;
    done.current = found;
    going.current = way;
    void chat.send("selectBranch", { session: session.id, branch });
  }, [found, isSeen, branch, isFree, way, chat, session.id]);
  return isSeen ? found : null;
}
