// What providers counted for one token of our own estimate, by model: a new session begins with what is known of its model's tokeniser.
//
// It holds sums only, nothing of what was said.
import type { Storage } from "../storage/storage.ts";
import { CORRECTED_BY } from "../agent/meter.ts";

const SETTING = "token_counts";

/** More models than anyone uses; the one that was heard of longest ago goes first. */
const MOST = 100;

/** Older answers fade, so that about as many count here as within a session. */
const KEPT = 1 - 1 / CORRECTED_BY;

interface Counted {
  readonly ours: number;
  readonly theirs: number;
}

export class TokenCounts {
  readonly #storage: Storage;
  /** By the model's name, the one heard of last at the end. */
  #counted = new Map<string, Counted>();
  #isNew = false;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  async load(): Promise<void> {
    this.#counted = read(await this.#storage.readSetting(SETTING));
    this.#isNew = false;
  }

  /** Null: nothing is known of it. */
  factor(model: string): number | null {
    const counted = this.#counted.get(model);
    return counted === undefined ? null : Math.round((counted.theirs / counted.ours) * 1_000) / 1_000;
  }

  learn(model: string, { ours, theirs }: Counted): void {
    if (!isCount(ours) || !isCount(theirs)) return;
    const before = this.#counted.get(model) ?? { ours: 0, theirs: 0 };
    this.#counted.delete(model);
    this.#counted.set(model, { ours: before.ours * KEPT + ours, theirs: before.theirs * KEPT + theirs });
    this.#isNew = true;
  }

  /** At the end of a turn: worth less than a write for each step. */
  async save(): Promise<void> {
    if (!this.#isNew) return;
    this.#isNew = false;
    await this.#storage.saveSetting(SETTING, [...this.#counted].slice(-MOST).map(([model, { ours, theirs }]) => ({ model, ours: Math.round(ours), theirs: Math.round(theirs) })));
  }
}

function read(stored: unknown): Map<string, Counted> {
  const rows = Array.isArray(stored) ? (stored as readonly Partial<Record<"model" | keyof Counted, unknown>>[]) : [];
  return new Map(rows.flatMap((row) => (typeof row?.model === "string" && isCount(row.ours) && isCount(row.theirs) ? [[row.model, { ours: row.ours, theirs: row.theirs }] as const] : [])));
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value > 0;
}
