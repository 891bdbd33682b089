/** Saying something: begins a session where there is none, else goes on with it; while a turn runs it waits in the queue. */
import { useCallback } from "react";
import type { QueueKind, SessionConfig } from "../../agent/events.ts";
import { REFUSED } from "../panel/use-intents.ts";
import type { Chat } from "./chat.ts";
import { carryDraft } from "./drafts.ts";

interface Beginning {
  /** What the message box shows: the session begins with it. */
  config: SessionConfig;
  /** There was none before. */
  isFirst: boolean;
}

export function useChatMessage({ session, client, send, open }: Chat, { config, isFirst }: Beginning) {
  const say = useCallback(
    async (text: string, attachments: readonly string[] = []) => {
      const along = attachments.length === 0 ? {} : { attachments };
      if (session !== null) return (await send("sendMessage", { session, text, ...along })) !== REFUSED;
      const started = await send("startSession", { text, config, ...along });
      if (started === REFUSED) return false;
      // From now on there is something to keep; a browser that would rather not may say so.
      if (isFirst) client.send("persistStorage", {}).catch(() => {});
      carryDraft(text, attachments, started.session);
      open(started.session);
      return true;
    },
    [session, client, send, open, config, isFirst],
  );
  const queue = useCallback(async (text: string, kind: QueueKind, attachments: readonly string[] = []) => session !== null && (await send("queueAdd", { session, text, kind, ...(attachments.length === 0 ? {} : { attachments }) })) !== REFUSED, [session, send]);
  return { say, queue };
}
