/** What the announcer says: only when a session crosses a boundary, never for what was already so when it opened. */
import { useEffect, useRef, useState } from "react";
import type { SessionView } from "../../agent/session-view.ts";
import { actWords } from "../approvals/plan-words.ts";
import { useText } from "../text/use-text.ts";

export function useBoundaryMessage(session: SessionView | null): string {
  const text = useText();
  const before = useRef<{ id: string; mark: string } | null>(null);
  const [message, setMessage] = useState("");
  const first = session?.waiting[0];
  const waiting = first?.approval?.plan;
  const asked = first?.question?.question.title;
  const mark = session ? `${session.status}:${session.turns.length}:${waiting?.id ?? (asked === undefined ? "" : first?.id)}` : "";

  useEffect(() => {
    if (!session) return;
    const seen = before.current;
    before.current = { id: session.id, mark };
    if (!seen || seen.id !== session.id || seen.mark === mark) return;
    const words: Partial<Record<SessionView["status"], string>> = {
      complete: text.announce.done,
      failed: text.announce.failed,
      cancelled: text.announce.cancelled,
      needs_you: waiting ? text.announce.waiting(actWords(waiting.summary, text)) : asked !== undefined ? text.announce.asks(asked) : text.announce.paused,
    };
    setMessage(words[session.status] ?? "");
  }, [session, mark, waiting, asked, text]);

  return message;
}
