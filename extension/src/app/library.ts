// All sessions together: found, deleted and brought back, kept within what the person allows. What waits for a person is never deleted.
import type { StoredEvent } from "../agent/events.ts";
import type { SessionRow, Storage } from "../storage/storage.ts";
import { SearchIndex } from "./search-index.ts";
import type { DeletedSession, RetentionNotice, SearchHit, SearchQuery, SessionSummary } from "./views.ts";

export interface LibraryParts {
  readonly storage: Storage;
  readonly now: () => number;
  /** MiB of sessions and attachments; null is no limit. */
  readonly limitMiB: () => number | null;
  /** Deletes for good, with what belongs to it. */
  readonly destroy: (session: string) => Promise<void>;
  readonly onChange: () => void;
}

/** A deletion can be taken back for so long. */
export const UNDO_DELETE_MS = 10 * 60_000;

/** A person who opens the panel once a day is told before anything goes. */
export const NOTICE_MS = 24 * 60 * 60_000;

/** What grows faster than that is not waited for. */
export const OVERFLOW = 1.1;

const SETTING = "retention_notice";
const MIB = 1_048_576;
const SEARCH_LIMIT = 50;

export class Library {
  readonly #parts: LibraryParts;
  readonly index: SearchIndex;
  #notice: RetentionNotice | null = null;
  #sweeping: Promise<void> = Promise.resolve();
  /** Put aside: still stored, and shown to nobody. */
  #trashed = new Set<string>();

  constructor(parts: LibraryParts) {
    this.#parts = parts;
    this.index = new SearchIndex(parts.storage);
  }

  get notice(): RetentionNotice | null {
    return this.#notice;
  }

  async load(): Promise<void> {
    const [notice, rows] = await Promise.all([this.#parts.storage.readSetting(SETTING), this.#parts.storage.listSessions()]);
    this.#notice = (notice as RetentionNotice | null) ?? null;
    this.#trashed = new Set(rows.flatMap(({ id, deletedAt }) => (deletedAt === undefined ? [] : [id])));
  }

  isTrashed(session: string): boolean {
    return this.#trashed.has(session);
  }

  async search({ text, workspace, status, tag, pinned, limit = SEARCH_LIMIT }: SearchQuery): Promise<{ hits: readonly SearchHit[]; more: boolean }> {
    const rows = (await this.#parts.storage.listSessions()).filter(
      (row) =>
        row.deletedAt === undefined &&
        !belongs(row) &&
        (workspace === undefined || row.workspace === workspace) &&
        (status === undefined || row.status === status) &&
        (tag === undefined || row.tags?.includes(tag) === true) &&
        (pinned === undefined || (row.pinned ?? false) === pinned),
    );
    await this.index.catchUp(rows);
    const found = text.trim() === "" ? rows.map((row) => ({ row, turns: [] })) : await this.index.find(text, rows);
    const hits = await Promise.all(found.slice(0, limit).map(async ({ row, turns }) => ({ session: summaryOf(row), matches: await this.index.excerpts(text, turns) })));
    return { hits, more: found.length > limit };
  }

  /** Puts it aside. */
  async trash(session: string): Promise<void> {
    const row = await this.#row(session);
    if (row !== undefined) await this.#parts.storage.saveRow({ ...row, deletedAt: this.#parts.now() });
    this.#trashed.add(session);
    this.#parts.onChange();
  }

  /** What can still be brought back, the last first. What belongs to a session comes back with it. */
  async deleted(): Promise<readonly DeletedSession[]> {
    if (this.#trashed.size === 0) return [];
    const now = this.#parts.now();
    return (await this.#parts.storage.listSessions())
      .flatMap((row) => (row.deletedAt === undefined || belongs(row) ? [] : [{ id: row.id, title: row.title, until: row.deletedAt + UNDO_DELETE_MS }]))
      .filter(({ until }) => until > now)
      .toSorted((left, right) => right.until - left.until);
  }

  /** False: it is too late. */
  async restore(session: string): Promise<boolean> {
    const row = await this.#row(session);
    if (row?.deletedAt === undefined) return row !== undefined;
    const { deletedAt: _deletedAt, ...kept } = row;
    await this.#parts.storage.saveRow(kept);
    this.#trashed.delete(session);
    this.#parts.onChange();
    return true;
  }

  /** Counts, tells, deletes what was told before. Run at a start, after turns and by the hour. */
  sweep(): Promise<void> {
    this.#sweeping = this.#sweeping.then(() => this.#sweep()).catch(() => {});
    return this.#sweeping;
  }

  /** The sessions of the notice go now. Returns how many went. */
  async cleanNow(): Promise<number> {
    await this.#sweeping;
    const told = this.#notice?.sessions ?? [];
    const gone = await this.#destroyAll(told.map(({ id }) => id));
    await this.#tell(null);
    return gone;
  }

  async sessionBytes(): Promise<number> {
    const rows = await this.#parts.storage.listSessions();
    return [...(await this.#sizes(rows)).values()].reduce((sum, bytes) => sum + bytes, 0);
  }

  async #sweep(): Promise<void> {
    const now = this.#parts.now();
    for (const row of await this.#parts.storage.listSessions()) {
      if (row.deletedAt !== undefined && now - row.deletedAt >= UNDO_DELETE_MS) await this.#parts.destroy(row.id);
    }
    const limitMiB = this.#parts.limitMiB();
    const rows = await this.#parts.storage.listSessions();
    const sizes = withBelongings(rows, await this.#sizes(rows));
    const limit = limitMiB === null ? Number.POSITIVE_INFINITY : limitMiB * MIB;
    const total = [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
    const going = goingFrom(rows, sizes, total - limit);
    if (going.length === 0) return this.#tell(null);
    const told = new Set(this.#notice?.sessions.map(({ id }) => id));
    const isDue = this.#notice !== null && (now >= this.#notice.at || total > limit * OVERFLOW);
    if (isDue) {
      const due = going.filter(({ id }) => told.has(id));
      await this.#destroyAll(due.map(({ id }) => id));
      const rest = going.filter(({ id }) => !told.has(id));
      return this.#tell(rest.length === 0 ? null : noticeOf(rest, sizes, now + NOTICE_MS));
    }
    const isSame = going.length === told.size && going.every(({ id }) => told.has(id));
    if (!isSame) await this.#tell(noticeOf(going, sizes, this.#notice?.at ?? now + NOTICE_MS));
  }

  async #destroyAll(ids: readonly string[]): Promise<number> {
    let gone = 0;
    for (const id of ids) {
      const row = await this.#row(id);
      if (row === undefined || !mayGo(row)) continue;
      await this.#parts.destroy(id);
      gone += 1;
    }
    return gone;
  }

  async #tell(notice: RetentionNotice | null): Promise<void> {
    if (notice === null && this.#notice === null) return;
    this.#notice = notice;
    await this.#parts.storage.saveSetting(SETTING, notice);
    this.#parts.onChange();
  }

  /** Only what is new is counted; the rest was counted before. */
  async #sizes(rows: readonly SessionRow[]): Promise<ReadonlyMap<string, number>> {
    const known = new Map((await this.#parts.storage.listSizes()).map((size) => [size.session, size]));
    const sizes = new Map<string, number>();
    for (const { id, seq } of rows) {
      const before = known.get(id) ?? { session: id, seq: 0, bytes: 0 };
      const more = before.seq >= seq ? [] : await this.#parts.storage.readEvents(id, before.seq);
      const bytes = more.reduce((sum, event) => sum + bytesOf(event), before.bytes);
      if (more.length > 0) await this.#parts.storage.saveSize({ session: id, seq: more.at(-1)?.seq ?? seq, bytes });
      sizes.set(id, bytes);
    }
    return sizes;
  }

  async #row(session: string): Promise<SessionRow | undefined> {
    return (await this.#parts.storage.listSessions()).find(({ id }) => id === session);
  }
}

/** With what it took along. */
function bytesOf(stored: StoredEvent): number {
  const { event } = stored;
  const taken = event.type === "UserMessage" || event.type === "Steered" ? (event.attachments ?? []) : event.type === "ToolResult" ? (event.pictures ?? []) : [];
  return taken.reduce((sum, { bytes }) => sum + bytes, JSON.stringify(stored).length);
}

/** A sub-agent or a side thread: shown, kept and deleted with its session. */
export function belongs({ origin }: SessionRow): boolean {
  return origin?.kind === "subagent" || origin?.kind === "side";
}

/** What belongs to a session counts with it, and not by itself. */
function withBelongings(rows: readonly SessionRow[], sizes: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const sums = new Map<string, number>();
  for (const row of rows) {
    const root = rootOf(row, byId);
    sums.set(root, (sums.get(root) ?? 0) + (sizes.get(row.id) ?? 0));
  }
  return sums;
}

/** A sub-agent has none of its own, but a side thread may have one: a few levels are all there are. */
function rootOf(row: SessionRow, byId: ReadonlyMap<string, SessionRow>, levels = 8): string {
  const above = belongs(row) && levels > 0 ? byId.get(row.origin?.session ?? "") : undefined;
  return above === undefined ? row.id : rootOf(above, byId, levels - 1);
}

/** What is not at work, waits for nobody, is not pinned and belongs to no other. */
function mayGo(row: SessionRow): boolean {
  return !belongs(row) && row.pinned !== true && row.undoing !== true && row.waiting === 0 && row.status !== "running" && row.status !== "needs_you";
}

/** The oldest first, until enough is gone. */
function goingFrom(rows: readonly SessionRow[], sizes: ReadonlyMap<string, number>, excess: number): readonly SessionRow[] {
  const going: SessionRow[] = [];
  let rest = excess;
  for (const row of rows.filter(mayGo).toSorted((left, right) => left.updatedAt - right.updatedAt)) {
    if (rest <= 0) break;
    going.push(row);
    rest -= sizes.get(row.id) ?? 0;
  }
  return going;
}

function noticeOf(rows: readonly SessionRow[], sizes: ReadonlyMap<string, number>, at: number): RetentionNotice {
  return { at, sessions: rows.map(({ id, title, updatedAt }) => ({ id, title, updatedAt, bytes: sizes.get(id) ?? 0 })) };
}

export function summaryOf({ seq: _seq, origin: _origin, deletedAt: _deletedAt, undoing: _undoing, ...row }: SessionRow): SessionSummary {
  return { ...row, status: row.status as SessionSummary["status"] };
}

