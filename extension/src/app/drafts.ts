// What was written and not sent, by session: it outlives the panel, the worker and the browser. In private windows it lives in memory, like all else.
import { z } from "zod";
import type { Storage } from "../storage/storage.ts";
import type { Draft } from "./views.ts";

const SETTING = "drafts";

/** The key of a session that has not begun. */
const NEW = "";

const draftsSchema = z.record(z.string(), z.object({ text: z.string(), attachments: z.array(z.string()), cards: z.string().optional() })).catch({});

interface StoredDraft {
  readonly text: string;
  /** Ids of what is kept beside the log. */
  readonly attachments: readonly string[];
  /** What was chosen and typed on cards that wait: the panel's own words about it. */
  readonly cards?: string | undefined;
}

/** More than a person chooses and types on cards; a panel that is wrong about it must not fill the store. */
const MOST_CARDS = 262_144;

export class Drafts {
  readonly #storage: Storage;
  #drafts = new Map<string, StoredDraft>();

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  async load(): Promise<void> {
    this.#drafts = new Map(Object.entries(draftsSchema.parse(await this.#storage.readSetting(SETTING))));
  }

  /** Null is a session that has not begun. What a message took along meanwhile is no longer beside it. */
  async read(session: string | null): Promise<Draft> {
    const { text, attachments } = this.#drafts.get(session ?? NEW) ?? { text: "", attachments: [] };
    const rows = await Promise.all(attachments.map((id) => this.#storage.readContent(id)));
    return { text, attachments: rows.flatMap((row) => (row === null || row.session !== "" ? [] : [row.attachment])) };
  }

  async keep(session: string | null, { text, attachments }: Pick<StoredDraft, "text" | "attachments">): Promise<void> {
    await this.#change(session, { text, attachments: [...attachments] });
  }

  /** Null: nothing. */
  readCards(session: string): string | null {
    return this.#drafts.get(session)?.cards ?? null;
  }

  async keepCards(session: string, cards: string | null): Promise<void> {
    await this.#change(session, { cards: cards === null || cards.length > MOST_CARDS ? undefined : cards });
  }

  async #change(session: string | null, change: Partial<StoredDraft>): Promise<void> {
    const { text, attachments, cards } = { ...(this.#drafts.get(session ?? NEW) ?? { text: "", attachments: [] }), ...change };
    if (text === "" && attachments.length === 0 && cards === undefined) return this.forget(session);
    this.#drafts.set(session ?? NEW, { text, attachments, ...(cards === undefined ? {} : { cards }) });
    await this.#save();
  }

  async forget(session: string | null): Promise<void> {
    if (this.#drafts.delete(session ?? NEW)) await this.#save();
  }

  async clear(): Promise<void> {
    this.#drafts.clear();
    await this.#save();
  }

  /** Ids of what is beside any of them: not to be swept away. */
  get attachments(): readonly string[] {
    return [...this.#drafts.values()].flatMap(({ attachments }) => attachments);
  }

  async #save(): Promise<void> {
    await this.#storage.saveSetting(SETTING, Object.fromEntries(this.#drafts));
  }
}
