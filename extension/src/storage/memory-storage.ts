// The log without a database: where the browser offers none. Behaves the same, and forgets with the browser.
import type { StoredEvent } from "../wire/events.ts";
import { addUsage, SequenceTaken, type ContentRow, type ModelRow, type SearchDoc, type SessionRow, type SizeRow, type Storage, type UsageRow } from "./storage.ts";

export class MemoryStorage implements Storage {
  readonly memoryOnly = true;
  readonly #events = new Map<string, StoredEvent[]>();
  readonly #sessions = new Map<string, SessionRow>();
  readonly #models = new Map<string, ModelRow>();
  readonly #keys = new Map<string, string>();
  readonly #contents = new Map<string, ContentRow>();
  readonly #docs = new Map<string, SearchDoc>();
  readonly #indexed = new Map<string, number>();
  readonly #sizes = new Map<string, SizeRow>();
  readonly #usage = new Map<string, UsageRow>();
  readonly #settings = new Map<string, unknown>();

  async append(events: readonly StoredEvent[], row: SessionRow, _durable = true, spent: readonly UsageRow[] = []): Promise<void> {
    const log = this.#events.get(row.id) ?? [];
    const first = events[0];
    if (first !== undefined && first.seq <= (log.at(-1)?.seq ?? 0)) throw new SequenceTaken(row.id, first.seq);
    for (const event of events) log.push(event);
    this.#events.set(row.id, log);
    this.#sessions.set(row.id, row);
    for (const more of spent) {
      const key = `${more.day} ${more.model}`;
      const known = this.#usage.get(key);
      this.#usage.set(key, known === undefined ? more : addUsage(known, more));
    }
  }

  async readEvents(session: string, after: number, most = Number.POSITIVE_INFINITY): Promise<readonly StoredEvent[]> {
    return (this.#events.get(session) ?? []).filter((event) => event.seq > after && event.seq <= after + most);
  }

  async listSessions(): Promise<readonly SessionRow[]> {
    return [...this.#sessions.values()].toSorted((left, right) => right.updatedAt - left.updatedAt || (right.id < left.id ? -1 : 1));
  }

  async listChildren(session: string): Promise<readonly SessionRow[]> {
    return [...this.#sessions.values()].filter((row) => row.origin?.session === session).toSorted((left, right) => left.createdAt - right.createdAt);
  }

  async deleteSession(session: string): Promise<void> {
    this.#events.delete(session);
    this.#sessions.delete(session);
    this.#indexed.delete(session);
    this.#sizes.delete(session);
    for (const [id, row] of this.#contents) if (row.session === session) this.#contents.delete(id);
    for (const [id, doc] of this.#docs) if (doc.session === session) this.#docs.delete(id);
  }

  async saveRow(row: SessionRow): Promise<void> {
    this.#sessions.set(row.id, row);
  }

  async saveContent(row: ContentRow): Promise<void> {
    this.#contents.set(row.id, row);
  }

  async readContent(id: string): Promise<ContentRow | null> {
    return this.#contents.get(id) ?? null;
  }

  async deleteContent(id: string): Promise<void> {
    this.#contents.delete(id);
  }

  async listContents(session: string): Promise<readonly ContentRow[]> {
    return [...this.#contents.values()].filter((row) => row.session === session);
  }

  async saveDocs(session: string, seq: number, docs: readonly SearchDoc[]): Promise<void> {
    for (const doc of docs) this.#docs.set(doc.id, doc);
    this.#indexed.set(session, seq);
  }

  async findDocs(term: string): Promise<readonly string[]> {
    return [...this.#docs.values()].filter(({ words }) => words.some((word) => word.startsWith(term))).map(({ id }) => id);
  }

  async readDocs(ids: readonly string[]): Promise<readonly SearchDoc[]> {
    return ids.flatMap((id) => this.#docs.get(id) ?? []);
  }

  async listIndexed(): Promise<ReadonlyMap<string, number>> {
    return this.#indexed;
  }

  async listSizes(): Promise<readonly SizeRow[]> {
    return [...this.#sizes.values()];
  }

  async saveSize(size: SizeRow): Promise<void> {
    this.#sizes.set(size.session, size);
  }

  async listUsage(fromDay: string): Promise<readonly UsageRow[]> {
    return [...this.#usage.values()].filter(({ day }) => day >= fromDay).toSorted((left, right) => left.day.localeCompare(right.day));
  }

  async clear(everything: boolean): Promise<void> {
    const kept = everything ? [this.#models, this.#keys, this.#settings] : [];
    for (const map of [this.#events, this.#sessions, this.#contents, this.#docs, this.#indexed, this.#sizes, this.#usage, ...kept]) map.clear();
  }

  async listModels(): Promise<readonly ModelRow[]> {
    return [...this.#models.values()];
  }

  async saveModel(model: ModelRow): Promise<void> {
    this.#models.set(model.id, model);
  }

  async deleteModel(model: string): Promise<void> {
    this.#models.delete(model);
    this.#keys.delete(model);
  }

  async readKey(model: string): Promise<string | null> {
    return this.#keys.get(model) ?? null;
  }

  async saveKey(model: string, key: string | null): Promise<void> {
    if (key === null) this.#keys.delete(model);
    else this.#keys.set(model, key);
  }

  async readSetting(name: string): Promise<unknown> {
    return this.#settings.get(name) ?? null;
  }

  async saveSetting(name: string, value: unknown): Promise<void> {
    this.#settings.set(name, value);
  }
}
