// The log without a database: where the browser offers none. Behaves the same, and forgets with the browser.
import type { StoredEvent } from "../wire/events.ts";
import { SequenceTaken, type ModelRow, type SessionRow, type Storage } from "./storage.ts";

export class MemoryStorage implements Storage {
  readonly memoryOnly = true;
  readonly #events = new Map<string, StoredEvent[]>();
  readonly #sessions = new Map<string, SessionRow>();
  readonly #models = new Map<string, ModelRow>();
  readonly #keys = new Map<string, string>();
  readonly #settings = new Map<string, unknown>();

  async append(events: readonly StoredEvent[], row: SessionRow): Promise<void> {
    const log = this.#events.get(row.id) ?? [];
    const first = events[0];
    if (first !== undefined && first.seq <= (log.at(-1)?.seq ?? 0)) throw new SequenceTaken(row.id, first.seq);
    log.push(...events);
    this.#events.set(row.id, log);
    this.#sessions.set(row.id, row);
  }

  async readEvents(session: string, after: number): Promise<readonly StoredEvent[]> {
    return (this.#events.get(session) ?? []).filter((event) => event.seq > after);
  }

  async listSessions(): Promise<readonly SessionRow[]> {
    return [...this.#sessions.values()].toSorted((left, right) => right.updatedAt - left.updatedAt);
  }

  async listChildren(session: string): Promise<readonly SessionRow[]> {
    return [...this.#sessions.values()].filter((row) => row.origin?.session === session).toSorted((left, right) => left.createdAt - right.createdAt);
  }

  async deleteSession(session: string): Promise<void> {
    this.#events.delete(session);
    this.#sessions.delete(session);
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
