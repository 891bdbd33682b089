// A store that the browser shuts under our hands is opened anew, by the one way in which nothing of it is lost.
//
// Chromium shuts it when a write fails, on a full disk say, and leaves the head of a record at the end of its log. Opened as if nothing
// had been, it is written to behind that head, and at the next start all of it is gone (`fresh-log.ts`; seen here each time). So no
// connection opens itself again, and none is opened before the log was begun anew.
import { isDiskFull } from "../lib/is-disk-full.ts";
import { isWithoutRoom } from "./is-without-room.ts";
import type { Storage } from "./storage.ts";
import { StoreShut } from "./store-shut.ts";

/** A store whose connection may go. */
export interface ShutStorage extends Storage {
  readonly isOpen: boolean;
  /** At once, when the browser shuts it. */
  onShut: () => void;
  close(): void;
}

export interface Keeping {
  /** Begins the log anew, then opens. */
  readonly open: () => Promise<ShutStorage>;
  /** Bytes that may still be written; null where nobody knows. */
  readonly room: () => Promise<number | null>;
  /** A write found no room, or the browser has shut it: its log may be torn. What failed is told only when this is known. */
  readonly onDoubt: () => Promise<void>;
  /** It was shut; null: it is open again. */
  readonly onChange: (shut: StoreShut | null) => void;
  readonly everyMs?: number;
}

/** Whoever makes room need not press anything: it is looked for that often. */
const EVERY_MS = 3_000;

export function keptOpen(first: ShutStorage, { open, room, onDoubt, onChange, everyMs = EVERY_MS }: Keeping): Storage {
  let current = first;
  let opening: Promise<void> | null = null;
  let looking: ReturnType<typeof setInterval> | undefined;

  const isFull = () => isWithoutRoom(room);
  const shut = (fault: StoreShut) => {
    onChange(fault);
    looking ??= setInterval(() => void ready().catch(() => {}), everyMs);
    return fault;
  };
  const reopen = async () => {
    if (await isFull()) throw shut(new StoreShut(true));
    try {
      // Of its two connections one may be left.
      current.close();
      watch(await open());
    } catch (error) {
      throw shut(new StoreShut(isDiskFull(error) || (await isFull()), error));
    }
    clearInterval(looking);
    looking = undefined;
    onChange(null);
  };
  const ready = () => {
    opening ??= reopen().finally(() => (opening = null));
    return opening;
  };
  const watch = (storage: ShutStorage) => {
    current = storage;
    storage.onShut = () => void Promise.all([isFull(), onDoubt()]).then(([full]) => current === storage && shut(new StoreShut(full)));
  };
  watch(first);

  return new Proxy<Storage>(first, {
    get: (_first, name: keyof Storage) => {
      if (typeof current[name] !== "function") return current[name];
      const call = (...args: readonly unknown[]) => (current[name] as (...given: readonly unknown[]) => unknown)(...args);
      return (...args: readonly unknown[]) => {
        // In the order in which they were asked for: nobody waits where nothing is to be waited for.
        if (!current.isOpen) return ready().then(() => call(...args));
        const used = current;
        const done = call(...args);
        if (!(done instanceof Promise)) return done;
        return done.catch(async (error: unknown) => {
          // Whoever hears of it may be the last thing that this background tells: the next one must not take the log for a whole one.
          if (!used.isOpen || isDiskFull(error)) await onDoubt();
          if (used.isOpen || isDiskFull(error)) throw error;
          throw new StoreShut(await isFull(), error);
        });
      };
    },
  });
}
