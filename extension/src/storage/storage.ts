// What is kept, as the engine sees it. `dexie-storage.ts` keeps it in IndexedDB, `memory-storage.ts` for as long as the browser runs.
import type { Attachment, AttachmentContent } from "../wire/attachment.ts";
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
  readonly pinned?: boolean;
  readonly tags?: readonly string[];
  /** Files are being taken back: whoever starts next finishes that. */
  readonly undoing?: true;
  /** Deleted by the person at this time; gone for good a while later. */
  readonly deletedAt?: number;
}

/** What was attached, until its session goes; without one, until a message takes it along or it is swept away. */
export interface ContentRow {
  readonly id: string;
  /** Empty: no message took it along yet. */
  readonly session: string;
  readonly at: number;
  readonly attachment: Attachment;
  readonly content: AttachmentContent;
}

/** One turn, as the search tells it. */
export interface FoundDoc {
  /** `<session>/<turn>` */
  readonly id: string;
  readonly session: string;
  readonly turn: string;
  /** For the excerpt; the end of a long turn is left out. */
  readonly text: string;
}

/** One turn, as the search gets to know it. No word is empty or has a space. */
export interface SearchDoc extends FoundDoc {
  readonly words: readonly string[];
}

/** What one model cost on one day, in this browser's time. */
export interface UsageRow {
  /** `2026-11-21` */
  readonly day: string;
  readonly model: string;
  readonly label: string;
  readonly requests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteTokens: number;
  readonly reasoningTokens: number;
  /** Of the requests whose price is known. */
  readonly costUsd: number;
  /** Requests whose price or usage is not known: their cost is in no sum. */
  readonly unpriced: number;
}

/** How much a session takes, as far as it was counted. */
export interface SizeRow {
  readonly session: string;
  /** Up to this event. */
  readonly seq: number;
  readonly bytes: number;
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
   * Rejects with `SequenceTaken` where another writer was there first. `spent` is added to the days' sums in the same transaction.
   */
  append(events: readonly StoredEvent[], row: SessionRow, durable: boolean, spent?: readonly UsageRow[]): Promise<void>;
  /** Events after a sequence number, in order; with `most` no more than the first of them. */
  readEvents(session: string, after: number, most?: number): Promise<readonly StoredEvent[]>;
  /** Newest first. */
  listSessions(): Promise<readonly SessionRow[]>;
  /** Sessions whose origin is this one, oldest first. */
  listChildren(session: string): Promise<readonly SessionRow[]>;
  /** With its events, its attachments and what the search knows of it. */
  deleteSession(session: string): Promise<void>;
  /** The row alone; its events stay as they are. */
  saveRow(row: SessionRow): Promise<void>;
  saveContent(row: ContentRow): Promise<void>;
  readContent(id: string): Promise<ContentRow | null>;
  deleteContent(id: string): Promise<void>;
  /** Of a session; empty: those that no message took along. */
  listContents(session: string): Promise<readonly ContentRow[]>;
  saveDocs(session: string, seq: number, docs: readonly SearchDoc[]): Promise<void>;
  /** Ids of the turns in which a word begins so. */
  findDocs(term: string): Promise<readonly string[]>;
  readDocs(ids: readonly string[]): Promise<readonly FoundDoc[]>;
  /** Up to which event each session is known to the search. */
  listIndexed(): Promise<ReadonlyMap<string, number>>;
  listSizes(): Promise<readonly SizeRow[]>;
  saveSize(size: SizeRow): Promise<void>;
  /** From a day on, oldest first. */
  listUsage(fromDay: string): Promise<readonly UsageRow[]>;
  /** Sessions and all that belongs to them, and what was used; with `everything` all there is. */
  clear(everything: boolean): Promise<void>;
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

/** One more for the same day and model. */
export function addUsage(left: UsageRow, right: UsageRow): UsageRow {
  return {
    ...left,
    label: right.label,
    requests: left.requests + right.requests,
    inputTokens: left.inputTokens + right.inputTokens,
    outputTokens: left.outputTokens + right.outputTokens,
    cachedInputTokens: left.cachedInputTokens + right.cachedInputTokens,
    cacheWriteTokens: left.cacheWriteTokens + right.cacheWriteTokens,
    reasoningTokens: left.reasoningTokens + right.reasoningTokens,
    costUsd: left.costUsd + right.costUsd,
    unpriced: left.unpriced + right.unpriced,
  };
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
