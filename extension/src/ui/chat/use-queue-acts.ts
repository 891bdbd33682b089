/** What can be done with messages that wait, as intents of this session. */
import { useMemo } from "react";
import { REFUSED } from "../panel/use-intents.ts";
import type { QueueActs } from "../queue/queue-strip.tsx";
import type { Chat } from "./chat.ts";

export function useQueueActs({ session, send }: Chat): QueueActs {
  return useMemo<QueueActs>(
    () => ({
      edit: async (item, change) => session !== null && (await send("queueEdit", { session, item, ...change })) !== REFUSED,
      move: (item, before) => session !== null && void send("queueMove", { session, item, before }),
      remove: (item) => session !== null && void send("queueRemove", { session, item }),
      send: () => session !== null && void send("queueSend", { session }),
    }),
    [session, send],
  );
}
