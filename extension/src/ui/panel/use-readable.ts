/** A store of the client, read live. */
import { useSyncExternalStore } from "react";
import type { Readable } from "../../lib/store.ts";

export function useReadable<Value>(readable: Readable<Value>): Value {
  return useSyncExternalStore(readable.subscribe, readable.get);
}
