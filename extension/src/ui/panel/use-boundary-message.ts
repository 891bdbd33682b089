/** What the announcer says: only when a session crosses a boundary, never for what was already so when it opened. */
import { useEffect, useRef, useState } from "react";
import type { SessionView } from "../../agent/session-view.ts";
import { actWords } from "../approvals/plan-words.ts";
import { useText } from "../text/use-text.ts";

export function useBoundaryMessage(session: SessionView | null): string {
  const text = useText();
  const before = useRef<{ id: string; mark: string } | null>(null);
  const [message, setMessage] = useState("");
  const waiting = session?.waiting[0]?.approval?.plan;
  const mark = session ? `${session.status}:${session.turns.length}:${waiting?.id ?? ""}` : "";

  useEffect(() => {
    if (!session) return;
    const seen = before.current;
    before.current = { id: session.id, mark };
    if (!seen || seen.id !== session.id || seen.mark === mark) return;
    const words: Partial<Record<SessionView["status"], string>> = {
      complete: text.announce.done,
      failed: text.announce.failed,
      cancelled: text.announce.cancelled,
      needs_you: waiting ? text.announce.waiting(actWords(waiting.summary, text)) : text.announce.paused,
    };
    setMessage(words[session.status] ?? "");
  }, [session, mark, waiting, text]);

  return message;
}
