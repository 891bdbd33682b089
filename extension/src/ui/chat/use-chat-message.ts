/** Saying something: begins a session where there is none, else goes on with it; while a turn runs it waits in the queue. */
import { useCallback } from "react";
import type { QueueKind } from "../../agent/events.ts";
import { REFUSED } from "../panel/use-intents.ts";
import type { Chat } from "./chat.ts";
import { carryDraft } from "./drafts.ts";

export function useChatMessage({ session, send, open }: Chat) {
  const say = useCallback(
    async (text: string, attachments: readonly string[] = []) => {
      const along = attachments.length === 0 ? {} : { attachments };
      if (session !== null) return (await send("sendMessage", { session, text, ...along })) !== REFUSED;
      const started = await send("startSession", { text, ...along });
      if (started === REFUSED) return false;
      carryDraft(text, attachments, started.session);
      open(started.session);
      return true;
    },
    [session, send, open],
  );
  const queue = useCallback(async (text: string, kind: QueueKind, attachments: readonly string[] = []) => session !== null && (await send("queueAdd", { session, text, kind, ...(attachments.length === 0 ? {} : { attachments }) })) !== REFUSED, [session, send]);
  return { say, queue };
}
