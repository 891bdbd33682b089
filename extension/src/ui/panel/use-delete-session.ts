/** Deletes a session at once; for a while it can be brought back, here and by the engine. */
import { useCallback } from "react";
import type { SessionSummary } from "../../app/views.ts";
import { useText } from "../text/use-text.ts";
import type { SaidReceipt } from "./receipt-state.ts";
import { REFUSED, type SendIntent } from "./use-intents.ts";

export function useDeleteSession(send: SendIntent, show: (receipt: SaidReceipt) => void): (session: SessionSummary) => Promise<boolean> {
  const text = useText();
  return useCallback(
    async (session) => {
      if ((await send("deleteSession", { session: session.id })) === REFUSED) return false;
      show({ tone: "good", about: session.id, message: text.sessions.deleted(session.title || text.header.untitled), undo: () => void send("restoreSession", { session: session.id }) });
      return true;
    },
    [send, show, text],
  );
}
