// The rules that outlive a session: kept in this browser, read once at the start, written before they count.
import type { Storage } from "../storage/storage.ts";
import { readRules } from "../wire/read-rules.ts";
import type { Rule } from "../wire/rule.ts";

const SETTING = "rules";

export class RuleBook {
  readonly #storage: Storage;
  #rules: readonly Rule[] = [];
  #writing: Promise<void> = Promise.resolve();

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  async load(): Promise<void> {
    this.#rules = readRules(await this.#storage.readSetting(SETTING));
  }

  list(): readonly Rule[] {
    return this.#rules;
  }

  /** It holds when the promise resolves, and not before. */
  async add(rule: Rule): Promise<void> {
    await this.#write((rules) => [...rules, rule]);
  }

  /** False: there is no such rule. A revoked rule no longer holds even if that cannot be written down. */
  async revoke(id: string): Promise<boolean> {
    if (!this.#rules.some((rule) => rule.id === id)) return false;
    const fewer = (rules: readonly Rule[]) => rules.filter((rule) => rule.id !== id);
    this.#rules = fewer(this.#rules);
    await this.#write(fewer);
    return true;
  }

  /** The one for the other, at once: there is no moment with neither, and none with both. False: there is no such rule. */
  async replace(id: string, rule: Rule): Promise<boolean> {
    if (!this.#rules.some((known) => known.id === id)) return false;
    await this.#write((rules) => rules.map((known) => (known.id === id ? rule : known)));
    return true;
  }

  /** Counted for the list of rules; nothing depends on it. */
  used(id: string, now: number): void {
    this.#write((rules) => rules.map((rule) => (rule.id === id ? { ...rule, uses: rule.uses + 1, lastUsedAt: now } : rule))).catch(() => {});
  }

  async #write(change: (rules: readonly Rule[]) => readonly Rule[]): Promise<void> {
    const mine = this.#writing.then(async () => {
      const next = change(this.#rules);
      await this.#storage.saveSetting(SETTING, next);
      this.#rules = next;
    });
    this.#writing = mine.catch(() => {});
    return mine;
  }
}
