// What is kept, as the engine sees it. `dexie-storage.ts` keeps it in IndexedDB, `memory-storage.ts` for as long as the browser runs.
import type { SessionOrigin, StoredEvent } from "../wire/events.ts";

export interface SessionRow {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly workspace: string | null;
  readonly model: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly waiting: number;
  /** Sequence number of its last event. */
  readonly seq: number;
  /** Why it exists beside those a person began; left out in rows of before there were others. */
  readonly origin?: SessionOrigin | null;
}

export interface ModelRow {
  readonly id: string;
  readonly label: string;
  readonly baseUrl: string;
  readonly modelName: string;
  /** Left out in rows of before there were others: a server that speaks OpenAI's chat completions. */
  readonly kind?: string;
  /** The model has no calls of its own. */
  readonly textTools?: boolean;
}

export interface Storage {
  /** Nothing outlives the browser here; the panel says so. */
  readonly memoryOnly: boolean;
  /**
   * Writes events and the session's row in one transaction. With `durable` it is on disk when the promise resolves.
   * Rejects with `SequenceTaken` where another writer was there first.
   */
  append(events: readonly StoredEvent[], row: SessionRow, durable: boolean): Promise<void>;
  /** Events after a sequence number, in order. */
  readEvents(session: string, after: number): Promise<readonly StoredEvent[]>;
  /** Newest first. */
  listSessions(): Promise<readonly SessionRow[]>;
  /** Sessions whose origin is this one, oldest first. */
  listChildren(session: string): Promise<readonly SessionRow[]>;
  deleteSession(session: string): Promise<void>;
  listModels(): Promise<readonly ModelRow[]>;
  saveModel(model: ModelRow): Promise<void>;
  /** Its key goes with it. */
  deleteModel(model: string): Promise<void>;
  /** Keys live apart from everything that is listed, logged or exported. */
  readKey(model: string): Promise<string | null>;
  saveKey(model: string, key: string | null): Promise<void>;
  readSetting(name: string): Promise<unknown>;
  saveSetting(name: string, value: unknown): Promise<void>;
}

/** Two engines wrote to one session. The later one must read again. */
export class SequenceTaken extends Error {
  override readonly name = "SequenceTaken";
  constructor(
    readonly session: string,
    readonly seq: number,
  ) {
    super(`event ${seq} of session ${session} is already written`);
  }
}
