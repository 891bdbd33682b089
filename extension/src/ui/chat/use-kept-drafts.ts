/** Keeps what is written and not sent where it outlives this page, and takes over what another page of ours kept. */
import { useEffect } from "react";
import type { PanelClient } from "../../app/panel-client.ts";
import { keeping, listen, takeKept, takeUnkept } from "./drafts.ts";

/** Rarely enough for a store, and soon enough for a hand that closes the panel; at a closing it is kept at once. */
const KEEP_MS = 400;

/** What another page of ours kept of it is here afterwards, too. */
export async function readKept(client: PanelClient, session: string | null): Promise<void> {
  await takeKept(session, () => client.send("readDraft", { session })).catch(() => {});
}

export function useKeptDrafts(client: PanelClient, session: string | null): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | null = null;
    const keep = () => {
      timer = null;
      for (const [of, { text, attachments }] of takeUnkept()) {
        keeping(of, client.send("keepDraft", { session: of, text, attachments: attachments.map(({ id }) => id) }));
      }
    };
    const stop = listen(() => {
      timer ??= setTimeout(keep, KEEP_MS);
    });
    const leave = () => {
      if (timer !== null) clearTimeout(timer);
      keep();
    };
    addEventListener("pagehide", leave);
    document.addEventListener("visibilitychange", leave);
    return () => {
      stop();
      leave();
      removeEventListener("pagehide", leave);
      document.removeEventListener("visibilitychange", leave);
    };
  }, [client]);

  // Asked for anew whenever one comes back: a tab beside the panel may have gone on with it.
  useEffect(() => {
    const look = () => {
      if (document.visibilityState === "hidden") return;
      void readKept(client, session);
    };
    look();
    addEventListener("focus", look);
    document.addEventListener("visibilitychange", look);
    return () => {
      removeEventListener("focus", look);
      document.removeEventListener("visibilitychange", look);
    };
  }, [client, session]);
}
