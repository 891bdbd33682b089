// The last requests to models, for the person and for a report. A ring: it never grows, and holds no prompt and no answer.
import { INTERRUPTED, SUMMARY_INTERRUPTED } from "../agent/recover.ts";
import { TRACES_KEPT, type Trace } from "../agent/trace.ts";
import type { Storage } from "../storage/storage.ts";

const LOST: ReadonlySet<string> = new Set([INTERRUPTED, SUMMARY_INTERRUPTED]);

const SETTING = "traces";

/** Written together: a trace is worth less than a write of its own. */
const GATHER_MS = 2_000;

export class Traces {
  readonly #storage: Storage;
  #kept: readonly Trace[] = [];
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  async load(): Promise<void> {
    const stored = await this.#storage.readSetting(SETTING);
    if (Array.isArray(stored)) this.#kept = [...(stored as Trace[]), ...this.#kept].slice(-TRACES_KEPT);
  }

  list(): readonly Trace[] {
    return this.#kept;
  }

  add(trace: Trace): void {
    // One that is found cut at a start may have been written down by who cut it.
    if (LOST.has(trace.code ?? "") && this.#kept.some(({ session, step, outcome }) => session === trace.session && step === trace.step && outcome !== "answered")) return;
    this.#kept = [...this.#kept, trace].slice(-TRACES_KEPT);
    if (this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#storage.saveSetting(SETTING, this.#kept).catch(() => {});
    }, GATHER_MS);
  }
}
