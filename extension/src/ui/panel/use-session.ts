/** The session with this id, live; null while it loads, or where none is chosen. */
import { useMemo } from "react";
import type { SessionView } from "../../agent/session-view.ts";
import type { PanelClient } from "../../app/panel-client.ts";
import type { Readable } from "../../lib/store.ts";
import { useReadable } from "./use-readable.ts";

const nothing: Readable<null> = { get: () => null, subscribe: () => () => {} };

export function useSession(client: PanelClient, id: string | null): SessionView | null {
  const readable = useMemo(() => (id === null ? nothing : client.session(id)), [client, id]);
  return useReadable<SessionView | null>(readable);
}
