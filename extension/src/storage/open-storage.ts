// The place where sessions are kept: IndexedDB, or memory where there is none.
import { DexieStorage } from "./dexie-storage.ts";
import { MemoryStorage } from "./memory-storage.ts";
import type { Storage } from "./storage.ts";

export async function openStorage(): Promise<Storage> {
  try {
    return await DexieStorage.open();
  } catch {
    return new MemoryStorage();
  }
}
