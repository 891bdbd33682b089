/** What can be done with messages that wait, as intents of this session. */
import { useMemo } from "react";
import { REFUSED } from "../panel/use-intents.ts";
import type { QueueActs } from "../queue/queue-strip.tsx";
import { useText } from "../text/use-text.ts";
import type { Chat } from "./chat.ts";
import { changeDraft, readDraft } from "./drafts.ts";

export function useQueueActs({ session, send, show }: Chat): QueueActs {
  const text = useText();
  return useMemo<QueueActs>(
    () => ({
      edit: async (item, change) => session !== null && (await send("queueEdit", { session, item, ...change })) !== REFUSED,
      move: (item, before) => session !== null && void send("queueMove", { session, item, before }),
      remove: (item) => session !== null && void send("queueRemove", { session, item }),
      rescue: (words) => {
        changeDraft(session, { text: [readDraft(session).text, words].filter((each) => each !== "").join("\n") });
        show({ tone: "good", message: text.dock.rescued });
      },
      send: () => session !== null && void send("queueSend", { session }),
    }),
    [session, send, show, text],
  );
}
