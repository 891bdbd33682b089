// The log in IndexedDB.
//
// Two connections to one database: boundaries are flushed to disk before they count, deltas are not worth the wait.
// The browser runs overlapping write transactions in the order in which they were made, so the log keeps its order.
import { Dexie, type DBCore, type EntityTable, type Table } from "dexie";
import type { StoredEvent } from "../wire/events.ts";
import { WITNESS } from "./witness.ts";
import type { ShutStorage } from "./kept-open.ts";
import { appendFault } from "./append-fault.ts";
import { addUsage, type ContentRow, type FoundDoc, type ModelRow, type SearchDoc, type SessionRow, type SizeRow, type UsageRow } from "./storage.ts";

export const DATABASE = "outrigger";

/** A turn, as the search knows it; its words lie in `words`, under each character that one of them begins with. */
interface DocRow extends FoundDoc {
  readonly firsts: readonly string[];
}

interface WordsRow {
  readonly first: string;
  readonly doc: string;
  /** With a space before each. */
  readonly words: string;
}

class Database extends Dexie {
  declare events: Table<StoredEvent, [string, number]>;
  declare sessions: EntityTable<SessionRow, "id">;
  declare models: EntityTable<ModelRow, "id">;
  declare keys: EntityTable<{ model: string; key: string }, "model">;
  declare contents: EntityTable<ContentRow, "id">;
  declare docs: EntityTable<DocRow, "id">;
  declare words: Table<WordsRow, [string, string]>;
  declare indexed: EntityTable<{ session: string; seq: number }, "session">;
  declare sizes: EntityTable<SizeRow, "session">;
  declare usage: Table<UsageRow, [string, string]>;
  declare settings: EntityTable<{ name: string; value: unknown }, "name">;
  #wasOpened = false;

  constructor(durability: "strict" | "relaxed") {
    super(DATABASE, { chromeTransactionDurability: durability, autoOpen: false });
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
    // Attachments beside the log, the words of a search, sizes for the retention, and what was used.
    this.version(3).stores({ contents: "id, session", docs: "id, session, *words", indexed: "session", sizes: "session", usage: "[day+model]" });
    // What an index had of a row that was deleted or changed Chromium leaves where it is, until days later it may tidy up: where the oldest
    // goes and the newest comes, the file grew by half of what came. So what comes and goes has no index; words are rows of their own, found
    // by their key. The search writes them down anew by itself.
    this.version(4)
      .stores({ events: "[session+seq]", sessions: "id, origin.session", docs: "id", words: "[first+doc]" })
      .upgrade(async (transaction) => {
        await transaction.table("docs").clear();
        await transaction.table("indexed").clear();
      });
    this.use({ stack: "dbcore", name: "one-writer", create: oneWriter });
  }

  /** Once: what the browser shut is opened by others (`kept-open.ts`), and not by itself. */
  override open(): ReturnType<Dexie["open"]> {
    if (this.#wasOpened) return Dexie.Promise.reject(new Dexie.DatabaseClosedError("the browser has shut it"));
    this.#wasOpened = true;
    return super.open();
  }
}

/** The store that every transaction that writes takes part in. */
const TURN = "sessions";

/**
 * Lets no two transactions write at the same time, also where they touch different stores.
 *
 * A Chromium that is killed while two of them are under way finds both unfinished at its next start, takes the second one's lock on
 * the database for a contradiction ("Invalid locks on disk"), and deletes everything that our origin had stored.
 */
function oneWriter(core: DBCore): DBCore {
  return { ...core, transaction: (stores, mode, options) => core.transaction(mode === "readwrite" && !stores.includes(TURN) ? [...stores, TURN] : stores, mode, options) };
}

export class DexieStorage implements ShutStorage {
  readonly memoryOnly = false;
  readonly #strict = new Database("strict");
  readonly #relaxed = new Database("relaxed");

  onShut: () => void = () => {};
  #isClosed = false;

  get isOpen(): boolean {
    return !this.#isClosed && (this.#strict.isOpen() && this.#relaxed.isOpen());
  }

  /** Rejects where the browser offers no IndexedDB, as in some private windows. */
  static async open(): Promise<DexieStorage> {
    const storage = new DexieStorage();
    // The first makes what is missing; the second finds it.
    await Promise.all([storage.#strict.open(), storage.#relaxed.open()]);
    for (const database of [storage.#strict, storage.#relaxed]) database.on("close", () => !storage.#isClosed && storage.onShut());
    return storage;
  }

  async append(events: readonly StoredEvent[], row: SessionRow, durable: boolean, spent: readonly UsageRow[] = []): Promise<void> {
    const database = durable ? this.#strict : this.#relaxed;
    const tables: Table[] = [database.events, database.sessions, ...(spent.length === 0 ? [] : [database.usage])];
    let write: IDBTransaction | null = null;
    const given = () => write?.error ?? null;
    try {
      await database.transaction("rw", tables, async ({ idbtrans }) => {
        write = idbtrans;
        await database.events.bulkAdd([...events]);
        await database.sessions.put(row);
        for (const more of spent) {
          const known = await database.usage.get([more.day, more.model]);
          await database.usage.put(known === undefined ? more : addUsage(known, more));
        }
      });
    } catch (error) {
      const first = events[0];
      throw first === undefined ? error : appendFault(error, first.session, first.seq, given());
    }
  }

  async readEvents(session: string, after: number, most?: number): Promise<readonly StoredEvent[]> {
    // Sequence numbers have no gaps: where so many may come is known, and a range is read faster than a count.
    const last = most === undefined ? Dexie.maxKey : after + most;
    return this.#strict.events.where("[session+seq]").between([session, after], [session, last], false, true).toArray();
  }

  async listSessions(): Promise<readonly SessionRow[]> {
    const rows = await this.#strict.sessions.toArray();
    return rows.toSorted((left, right) => right.updatedAt - left.updatedAt || (right.id < left.id ? -1 : 1));
  }

  async listChildren(session: string): Promise<readonly SessionRow[]> {
    return this.#strict.sessions.where("origin.session").equals(session).sortBy("createdAt");
  }

  async deleteSession(session: string): Promise<void> {
    const { events, sessions, contents, docs, words, indexed, sizes } = this.#strict;
    await this.#strict.transaction("rw", [events, sessions, contents, docs, words, indexed, sizes], async () => {
      await events.where("[session+seq]").between([session, Dexie.minKey], [session, Dexie.maxKey]).delete();
      await sessions.delete(session);
      await contents.where("session").equals(session).delete();
      const known = docs.where("id").between(`${session}/`, `${session}/\uffff`);
      const gone: [string, string][] = [];
      await known.each(({ id, firsts }) => gone.push(...firsts.map((first): [string, string] => [first, id])));
      await words.bulkDelete(gone);
      await known.delete();
      await indexed.delete(session);
      await sizes.delete(session);
    });
  }

  async saveRow(row: SessionRow): Promise<void> {
    await this.#strict.sessions.put(row);
  }

  async saveContent(row: ContentRow): Promise<void> {
    await this.#strict.contents.put(row);
  }

  async readContent(id: string): Promise<ContentRow | null> {
    return (await this.#strict.contents.get(id)) ?? null;
  }

  async deleteContent(id: string): Promise<void> {
    await this.#strict.contents.delete(id);
  }

  async listContents(session: string): Promise<readonly ContentRow[]> {
    return this.#strict.contents.where("session").equals(session).toArray();
  }

  async saveDocs(session: string, seq: number, more: readonly SearchDoc[]): Promise<void> {
    const { docs, words, indexed } = this.#relaxed;
    await this.#relaxed.transaction("rw", docs, words, indexed, async () => {
      const before = await docs.bulkGet(more.map(({ id }) => id));
      const rows = more.map((doc) => ({ doc, byFirst: wordsByFirst(doc.words) }));
      const gone = rows.flatMap(({ doc, byFirst }, place) => (before[place]?.firsts ?? []).filter((first) => !byFirst.has(first)).map((first): [string, string] => [first, doc.id]));
      await words.bulkDelete(gone);
      await words.bulkPut(rows.flatMap(({ doc, byFirst }) => [...byFirst].map(([first, found]) => ({ first, doc: doc.id, words: found }))));
      await docs.bulkPut(rows.map(({ doc: { id, turn, text }, byFirst }) => ({ id, session, turn, text, firsts: [...byFirst.keys()] })));
      await indexed.put({ session, seq });
    });
  }

  async findDocs(term: string): Promise<readonly string[]> {
    if (term === "") return this.#strict.docs.toCollection().primaryKeys();
    const rows = await this.#strict.words.where("[first+doc]").between([firstOf(term), Dexie.minKey], [firstOf(term), Dexie.maxKey]).toArray();
    return rows.filter(({ words }) => words.includes(` ${term}`)).map(({ doc }) => doc);
  }

  async readDocs(ids: readonly string[]): Promise<readonly FoundDoc[]> {
    return (await this.#strict.docs.bulkGet([...ids])).filter((doc) => doc !== undefined);
  }

  async listIndexed(): Promise<ReadonlyMap<string, number>> {
    return new Map((await this.#strict.indexed.toArray()).map(({ session, seq }) => [session, seq]));
  }

  async listSizes(): Promise<readonly SizeRow[]> {
    return this.#strict.sizes.toArray();
  }

  async saveSize(size: SizeRow): Promise<void> {
    await this.#relaxed.sizes.put(size);
  }

  async listUsage(fromDay: string): Promise<readonly UsageRow[]> {
    return this.#strict.usage.where("[day+model]").aboveOrEqual([fromDay, Dexie.minKey]).toArray();
  }

  async clear(everything: boolean): Promise<void> {
    const { events, sessions, contents, docs, words, indexed, sizes, usage, models, keys, settings } = this.#strict;
    const tables = [events, sessions, contents, docs, words, indexed, sizes, usage, ...(everything ? [models, keys] : [])];
    await this.#strict.transaction("rw", [...tables, settings], async () => {
      for (const table of tables) await table.clear();
      if (everything) await settings.where("name").notEqual(WITNESS).delete();
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
    this.#isClosed = true;
    this.#strict.close();
    this.#relaxed.close();
  }
}

function firstOf(word: string): string {
  return String.fromCodePoint(word.codePointAt(0) ?? 0);
}

/** A search for the beginning of a word reads what begins with its first character, and nothing else. */
function wordsByFirst(words: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const word of words) found.set(firstOf(word), `${found.get(firstOf(word)) ?? ""} ${word}`);
  return found;
}
