/** Whether the session that was asked for is not there: then there is nothing to wait for. */
import { useMemo } from "react";
import type { PanelClient } from "../../app/panel-client.ts";
import type { Readable } from "../../lib/store.ts";
import { useReadable } from "./use-readable.ts";

const never: Readable<false> = { get: () => false, subscribe: () => () => {} };

export function useGone(client: PanelClient, id: string | null): boolean {
  return useReadable<boolean>(useMemo(() => (id === null ? never : client.isGone(id)), [client, id]));
}
