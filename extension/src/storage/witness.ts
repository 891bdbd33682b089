// Notices that the browser lost our database: a witness stands in it, and the same one in the extension's own storage area.
//
// Browsers do lose databases, and say nothing: a new, empty one looks like a first start. It is never taken for one here.
// The area is another store of the browser with files of its own; what it holds is a number and a date, nothing that was said.
import type { Storage } from "./storage.ts";

/** The row of the settings; `clear` leaves it, or a person's own deletion would look like a loss. */
export const WITNESS = "witness";

/** What is gone: so many sessions, as of that time. */
export interface StorageLoss {
  readonly sessions: number;
  readonly at: number;
  /** The database is there and cannot be opened; false: it came up empty. */
  readonly isShut: boolean;
}

/** A record that outlives the database. */
export interface WitnessArea {
  read(): Promise<unknown>;
  write(record: WitnessRecord): Promise<void>;
}

export interface WitnessRecord {
  readonly id: string;
  readonly sessions: number;
  readonly at: number;
  /** Told until the person has taken note of it. */
  readonly loss?: StorageLoss | null;
}

export class Witness {
  readonly #area: WitnessArea;
  #record: WitnessRecord;
  /** Writes go one after the other, each from what the one before left. */
  #written: Promise<void> = Promise.resolve();

  private constructor(area: WitnessArea, record: WitnessRecord) {
    this.#area = area;
    this.#record = record;
  }

  /** Compares the two, and makes what is missing. The database's comes first: a death between them is no loss. */
  static async compare(storage: Storage, area: WitnessArea, { now, newId }: { now: number; newId: () => string }): Promise<Witness> {
    const known = readRecord(await area.read().catch(() => null));
    if (storage.memoryOnly) {
      const isShut = known !== null;
      return new Witness({ read: area.read, write: async () => {} }, { id: "", sessions: 0, at: now, loss: isShut ? { sessions: known.sessions, at: known.at, isShut } : null });
    }
    const stored = await storage.readSetting(WITNESS);
    if (typeof stored === "string" && stored === known?.id) return new Witness(area, known);
    const id = typeof stored === "string" ? stored : newId();
    // A database without a witness is older than witnesses, unless there was one: then it is another database.
    const loss = stored === null && known !== null ? { sessions: known.sessions, at: known.at, isShut: false } : (known?.loss ?? null);
    if (stored !== id) await storage.saveSetting(WITNESS, id);
    const witness = new Witness(area, { id, sessions: 0, at: now, loss });
    await area.write(witness.#record).catch(() => {});
    return witness;
  }

  get loss(): StorageLoss | null {
    return this.#record.loss ?? null;
  }

  /** So many sessions are there now. */
  async counted(sessions: number, now: number): Promise<void> {
    await this.#keep((record) => (record.sessions === sessions ? record : { ...record, sessions, at: now }));
  }

  /** The person knows. */
  async noted(): Promise<void> {
    await this.#keep((record) => ({ ...record, loss: null }));
  }

  /** What is shown as noted is written: it never comes back after a death. */
  async #keep(change: (record: WitnessRecord) => WitnessRecord): Promise<void> {
    this.#written = this.#written.then(async () => {
      const record = change(this.#record);
      if (record === this.#record) return;
      await this.#area.write(record).catch(() => {});
      this.#record = record;
    });
    await this.#written;
  }
}

/** Null where it is not one of ours. */
function readRecord(value: unknown): WitnessRecord | null {
  if (typeof value !== "object" || value === null) return null;
  const { id, sessions, at, loss } = value as Partial<WitnessRecord>;
  if (typeof id !== "string" || typeof sessions !== "number" || typeof at !== "number") return null;
  return { id, sessions, at, loss: loss ?? null };
}
