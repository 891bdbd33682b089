// The log in IndexedDB.
//
// Two connections to one database: boundaries are flushed to disk before they count, deltas are not worth the wait.
// The browser runs overlapping write transactions in the order in which they were made, so the log keeps its order.
import { Dexie, type EntityTable, type Table } from "dexie";
import type { StoredEvent } from "../wire/events.ts";
import { SequenceTaken, type ModelRow, type SessionRow, type Storage } from "./storage.ts";

export const DATABASE = "outrigger";

class Database extends Dexie {
  declare events: Table<StoredEvent, [string, number]>;
  declare sessions: EntityTable<SessionRow, "id">;
  declare models: EntityTable<ModelRow, "id">;
  declare keys: EntityTable<{ model: string; key: string }, "model">;
  declare settings: EntityTable<{ name: string; value: unknown }, "name">;

  constructor(durability: "strict" | "relaxed") {
    super(DATABASE, { chromeTransactionDurability: durability });
    // A version is never changed once released: add the next one, with its upgrade and a stored fixture of this one.
    this.version(1).stores({
      events: "[session+seq], session",
      sessions: "id, updatedAt",
      models: "id",
      keys: "model",
      settings: "name",
    });
    // What belongs to a session (sub-agents, side questions, scheduled runs) is found without reading the whole list.
    this.version(2).stores({ sessions: "id, updatedAt, origin.session" });
  }
}

export class DexieStorage implements Storage {
  readonly memoryOnly = false;
  readonly #strict = new Database("strict");
  readonly #relaxed = new Database("relaxed");

  /** Rejects where the browser offers no IndexedDB, as in some private windows. */
  static async open(): Promise<DexieStorage> {
    const storage = new DexieStorage();
    await storage.#strict.open();
    await storage.#relaxed.open();
    return storage;
  }

  async append(events: readonly StoredEvent[], row: SessionRow, durable: boolean): Promise<void> {
    const database = durable ? this.#strict : this.#relaxed;
    try {
      await database.transaction("rw", database.events, database.sessions, async () => {
        await database.events.bulkAdd([...events]);
        await database.sessions.put(row);
      });
    } catch (error) {
      const first = events[0];
      if (first !== undefined && error instanceof Error && (error.name === "BulkError" || error.name === "ConstraintError")) {
        throw new SequenceTaken(first.session, first.seq);
      }
      throw error;
    }
  }

  async readEvents(session: string, after: number): Promise<readonly StoredEvent[]> {
    return this.#strict.events
      .where("[session+seq]")
      .between([session, after], [session, Dexie.maxKey], false, true)
      .toArray();
  }

  async listSessions(): Promise<readonly SessionRow[]> {
    return this.#strict.sessions.orderBy("updatedAt").reverse().toArray();
  }

  async listChildren(session: string): Promise<readonly SessionRow[]> {
    return this.#strict.sessions.where("origin.session").equals(session).sortBy("createdAt");
  }

  async deleteSession(session: string): Promise<void> {
    const { events, sessions } = this.#strict;
    await this.#strict.transaction("rw", events, sessions, async () => {
      await events.where("[session+seq]").between([session, Dexie.minKey], [session, Dexie.maxKey]).delete();
      await sessions.delete(session);
    });
  }

  async listModels(): Promise<readonly ModelRow[]> {
    return this.#strict.models.toArray();
  }

  async saveModel(model: ModelRow): Promise<void> {
    await this.#strict.models.put(model);
  }

  async deleteModel(model: string): Promise<void> {
    const { models, keys } = this.#strict;
    await this.#strict.transaction("rw", models, keys, async () => {
      await models.delete(model);
      await keys.delete(model);
    });
  }

  async readKey(model: string): Promise<string | null> {
    return (await this.#strict.keys.get(model))?.key ?? null;
  }

  async saveKey(model: string, key: string | null): Promise<void> {
    if (key === null) await this.#strict.keys.delete(model);
    else await this.#strict.keys.put({ model, key });
  }

  async readSetting(name: string): Promise<unknown> {
    return (await this.#strict.settings.get(name))?.value ?? null;
  }

  async saveSetting(name: string, value: unknown): Promise<void> {
    await this.#strict.settings.put({ name, value });
  }

  close(): void {
    this.#strict.close();
    this.#relaxed.close();
  }
}
