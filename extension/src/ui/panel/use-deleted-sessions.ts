/**
 * Sessions the person deleted a moment ago: hidden at once, really deleted when the receipt leaves.
 *
 * So Undo needs nothing from the engine, and a closed panel deletes nothing that could still be undone.
 */
import { useCallback, useState } from "react";
import type { SessionSummary } from "../../app/views.ts";
import { useText } from "../text/use-text.ts";
import type { ReceiptState } from "./receipt-state.ts";
import { REFUSED, type SendIntent } from "./use-intents.ts";

export function useDeletedSessions(send: SendIntent, show: (receipt: Omit<ReceiptState, "id">) => void) {
  const text = useText();
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const remove = useCallback(
    (session: SessionSummary) => {
      const reveal = () => setHidden((before) => new Set([...before].filter((id) => id !== session.id)));
      setHidden((before) => new Set([...before, session.id]));
      show({
        tone: "good",
        message: text.sessions.deleted(session.title || text.header.untitled),
        undo: reveal,
        onGone: () => void send("deleteSession", { session: session.id }).then((answer) => answer === REFUSED && reveal()),
      });
    },
    [send, show, text],
  );
  return { hidden, remove };
}
