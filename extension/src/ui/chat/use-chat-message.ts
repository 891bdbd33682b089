/** Saying something: begins a session where there is none, else goes on with it; while a turn runs it waits in the queue. */
import { useCallback } from "react";
import type { QueueKind } from "../../agent/events.ts";
import { REFUSED } from "../panel/use-intents.ts";
import type { Chat } from "./chat.ts";

export function useChatMessage({ session, send, open }: Chat) {
  const say = useCallback(
    async (text: string) => {
      if (session !== null) return (await send("sendMessage", { session, text })) !== REFUSED;
      const started = await send("startSession", { text });
      if (started === REFUSED) return false;
      open(started.session);
      return true;
    },
    [session, send, open],
  );
  const queue = useCallback(async (text: string, kind: QueueKind) => session !== null && (await send("queueAdd", { session, text, kind })) !== REFUSED, [session, send]);
  return { say, queue };
}
