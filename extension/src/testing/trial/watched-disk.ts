// Storage that lets its engine die at one exact write, and that holds everyone to what was stored once: for trials only.
import type { SessionRow, Storage } from "../../storage/storage.ts";
import type { StoredEvent } from "../../wire/events.ts";
import { MemoryStorage } from "../../storage/memory-storage.ts";

/** What is written in one transaction, or not at all. */
const WRITES: ReadonlySet<string> = new Set(["append", "saveSetting"]);

export type Moment = "before" | "after";

/** The disk of the machine: it outlives every engine. */
export class Disk {
  readonly inner = new MemoryStorage();
  /** As they were when they were stored, in the order of all sessions. */
  readonly stored: { readonly event: StoredEvent; readonly text: string; readonly write: number }[] = [];
  readonly faults: string[] = [];
  /** Transactions so far. */
  writes = 0;
  readonly #bySession = new Map<string, StoredEvent[]>();

  eventsOf(session: string): readonly StoredEvent[] {
    return this.#bySession.get(session) ?? [];
  }

  get sessions(): readonly string[] {
    return [...this.#bySession.keys()];
  }

  async append(events: readonly StoredEvent[], ...rest: readonly [SessionRow, boolean, (readonly never[])?]): Promise<void> {
    // A database keeps a copy: who changes what was handed over, changes nothing that was stored.
    const copies = events.map((event) => JSON.parse(JSON.stringify(event)) as StoredEvent);
    await this.inner.append(copies, ...rest);
    for (const event of copies) {
      const log = this.#bySession.get(event.session) ?? [];
      const last = log.at(-1);
      if (event.seq !== (last?.seq ?? 0) + 1) this.faults.push(`event ${event.seq} of ${event.session} follows event ${last?.seq ?? 0}`);
      if (event.parent !== (last?.id ?? null)) this.faults.push(`event ${event.seq} of ${event.session} does not name the one before it`);
      log.push(event);
      this.#bySession.set(event.session, log);
      this.stored.push({ event, text: JSON.stringify(event), write: this.writes });
    }
  }

  /** What of it is not as it was stored. */
  async rewritten(): Promise<readonly string[]> {
    const faults: string[] = [];
    for (const session of this.sessions) {
      const now = (await this.inner.readEvents(session, 0)).map((event) => JSON.stringify(event));
      const then = this.stored.filter(({ event }) => event.session === session).map(({ text }) => text);
      if (now.length !== then.length || now.some((text, place) => text !== then[place])) faults.push(`the log of ${session} is not what was stored`);
    }
    return faults;
  }
}

/**
 * The disk as one engine sees it, until that one dies. `onWrite` is asked before and after each write, and says whether it died there.
 * `slowness`: so many milliseconds the next access takes. Writes are carried out one after the other, as a database does.
 */
export function diskOf(disk: Disk, isDead: () => boolean, onWrite: (moment: Moment) => boolean, slowness: () => number): Storage {
  const never = () => new Promise<never>(() => {});
  let writing: Promise<unknown> = Promise.resolve();
  const written = (write: () => Promise<void>): Promise<void> => {
    const mine = writing.then(() => writeNow(write));
    writing = mine.catch(() => {});
    return mine;
  };
  const writeNow = async (write: () => Promise<void>): Promise<void> => {
    await took(slowness());
    if (isDead()) return never();
    disk.writes += 1;
    if (onWrite("before")) return never();
    await write();
    if (onWrite("after")) return never();
    return undefined;
  };
  return new Proxy<Storage>(disk.inner, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      if (name === "append") return (...args: Parameters<Disk["append"]>) => written(() => disk.append(...args));
      const method = value.bind(target) as (...args: readonly unknown[]) => Promise<unknown>;
      if (WRITES.has(String(name))) return (...args: readonly unknown[]) => written(async () => void (await method(...args)));
      return async (...args: readonly unknown[]) => {
        await took(slowness());
        if (isDead()) return never();
        const found = await method(...args);
        return isDead() ? never() : found;
      };
    },
  });
}

function took(ms: number): Promise<void> {
  return ms === 0
    ? Promise.resolve()
    : new Promise((resolve) => {
        setTimeout(resolve, ms);
      });
}
