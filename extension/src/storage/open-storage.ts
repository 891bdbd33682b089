// The place where sessions are kept: IndexedDB, or memory where there is none. A disk that is full is no such place: it is waited for.
import { isDiskFull } from "../lib/is-disk-full.ts";
import { DexieStorage } from "./dexie-storage.ts";
import { beginFreshLog } from "./fresh-log.ts";
import { isWithoutRoom } from "./is-without-room.ts";
import { keptOpen } from "./kept-open.ts";
import { MemoryStorage } from "./memory-storage.ts";
import type { Storage } from "./storage.ts";
import { StoreShut } from "./store-shut.ts";

/** Forgotten when the browser ends; shared by all backgrounds of one run of it. */
export interface RunMemory {
  get(name: string): Promise<unknown>;
  set(name: string, value: unknown): Promise<void>;
}

/** Set once the log of this run of the browser is its own. */
const FRESH = "outrigger.fresh-log";

/** A store that is damaged, or still held by a browser that is ending, may open a moment later. */
const PAUSES_MS = [100, 400, 1_500];

/** Where there is no IndexedDB at all, as in some private windows, waiting does not help. */
const HOPELESS: ReadonlySet<string> = new Set(["MissingAPIError", "InvalidStateError", "SecurityError"]);

export interface Opening {
  /** With it, Chromium's torn logs are left behind before anything is written. */
  readonly run?: RunMemory | null;
  readonly pause?: (ms: number) => Promise<void>;
  /** Bytes that may still be written; null where nobody knows. */
  readonly room?: () => Promise<number | null>;
  /** The browser has shut it; null: it is open again. */
  readonly onShut?: (shut: StoreShut | null) => void;
}

/** Rejects with `StoreShut` while the disk is full: all that was stored is there, and opens when there is room. */
export async function openStorage({ run = null, pause = wait, room = async () => null, onShut = () => {} }: Opening = {}): Promise<Storage> {
  const isFull = () => isWithoutRoom(room);
  const noteFresh = async (value: boolean) => run?.set(FRESH, value).catch(() => {});
  const [isFresh, hasNoRoom] = await Promise.all([run === null || run.get(FRESH).then((value) => value === true, () => false), run !== null && isFull()]);
  // What is begun half behind a torn log would be the end of it.
  if (!isFresh && hasNoRoom) throw new StoreShut(true);
  const storage = await openPatiently(pause, isFull).catch((error: unknown) => {
    void noteFresh(false);
    throw error;
  });
  if (storage === null) return new MemoryStorage();
  if (run !== null && !isFresh) {
    try {
      await beginFreshLog(globalThis.indexedDB);
    } catch (error) {
      if (isDiskFull(error) || (await isFull())) {
        storage.close();
        throw new StoreShut(true, error);
      }
      // Nothing is worse than before: what is wrong with the store shows when it is used.
    }
    await noteFresh(true);
  }
  return keptOpen(storage, {
    room,
    open: async () => {
      if (run !== null) await beginFreshLog(globalThis.indexedDB);
      return DexieStorage.open();
    },
    // A background that starts meanwhile must not take the log for its own, either.
    onDoubt: () => noteFresh(false),
    onChange: (shut) => {
      void noteFresh(shut === null);
      onShut(shut);
    },
  });
}

/** Null: there is none to open, or it does not open. */
async function openPatiently(pause: (ms: number) => Promise<void>, isFull: () => Promise<boolean>): Promise<DexieStorage | null> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await DexieStorage.open();
    } catch (error) {
      if (namesOf(error).some((name) => HOPELESS.has(name))) return null;
      if (isDiskFull(error) || (await isFull())) throw new StoreShut(true, error);
      const next = PAUSES_MS[attempt];
      if (next === undefined) return null;
      await pause(next);
    }
  }
}

/** Of an error and of what it wraps. */
function namesOf(error: unknown): readonly string[] {
  const inner = (error as { inner?: unknown } | null)?.inner;
  const name = (error as { name?: unknown } | null)?.name;
  return [...(typeof name === "string" ? [name] : []), ...(inner === undefined || inner === null || inner === error ? [] : namesOf(inner))];
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
