// Storage that lets its engine die at one exact event: for drills only.
//
// `after`: the event is stored, and nothing that it allows is done. `before`: what led to it was done, and it is not stored.
// From then on nothing is written and nobody hears of anything, as when a browser stops its worker.
import type { StoredEvent } from "../wire/events.ts";
import type { SessionRow, Storage, UsageRow } from "../storage/storage.ts";

export type Death = "before" | "after";

export class MortalStorage {
  readonly storage: Storage;
  #written = 0;
  #isDead = false;

  constructor(inner: Storage, at: number, death: Death, onDeath: () => void) {
    const append = (events: readonly StoredEvent[], row: SessionRow, durable: boolean, spent: readonly UsageRow[] = []) => this.#append(inner, at, death, onDeath, events, row, durable, spent);
    this.storage = new Proxy(inner, {
      get: (target, name) => {
        if (name === "append") return append;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  async #append(inner: Storage, at: number, death: Death, onDeath: () => void, events: readonly StoredEvent[], row: SessionRow, durable: boolean, spent: readonly UsageRow[]): Promise<void> {
    if (this.#isDead) return new Promise<never>(() => {});
    // Events written together are one transaction: all of them or none.
    const reaches = this.#written + events.length >= at;
    this.#written += events.length;
    if (reaches && death === "before") {
      this.#isDead = true;
      onDeath();
      return new Promise<never>(() => {});
    }
    await inner.append(events, row, durable, spent);
    if (!reaches) return undefined;
    this.#isDead = true;
    onDeath();
    return new Promise<never>(() => {});
  }
}
