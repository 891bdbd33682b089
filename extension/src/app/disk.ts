// How much is kept here, and whether the browser promises to keep it.
import type { Library } from "./library.ts";
import type { Storage } from "../storage/storage.ts";
import type { Receipt, StorageView } from "./views.ts";

/** The part of `navigator.storage` that is used; some windows have none, and a worker may ask but not promise. */
export interface BrowserDisk {
  estimate(): Promise<{ usage?: number; quota?: number }>;
  persisted(): Promise<boolean>;
  persist?(): Promise<boolean>;
}

/** Asks the browser of this page. The words are the receipt. */
export async function persistHere(memoryOnly: boolean, browser: BrowserDisk | null): Promise<{ persisted: boolean; receipt: Receipt }> {
  if (memoryOnly) return { persisted: false, receipt: { message: "This window keeps nothing: the browser offers no place for it." } };
  const persisted = (await browser?.persist?.().catch(() => false)) ?? false;
  return { persisted, receipt: { message: persisted ? "The browser keeps your sessions also when the disk is full." : "The browser did not promise it: when the disk is full it may clear your sessions." } };
}

export class Disk {
  readonly #storage: Storage;
  readonly #library: Library;
  readonly #browser: BrowserDisk | null;

  constructor(storage: Storage, library: Library, browser: BrowserDisk | null) {
    this.#storage = storage;
    this.#library = library;
    this.#browser = browser;
  }

  async use(): Promise<StorageView> {
    const known = await this.#browser?.estimate().catch(() => null);
    return {
      sessionBytes: await this.#library.sessionBytes(),
      sessions: (await this.#storage.listSessions()).length,
      usedBytes: known?.usage ?? null,
      quotaBytes: known?.quota ?? null,
      persisted: await this.#persisted(),
    };
  }

  /** Firefox's background is a page and can ask; Chromium's is a worker, and its panel asks. */
  persist(): Promise<{ persisted: boolean; receipt: Receipt }> {
    return persistHere(this.#storage.memoryOnly, this.#browser);
  }

  async #persisted(): Promise<boolean> {
    return !this.#storage.memoryOnly && ((await this.#browser?.persisted().catch(() => false)) ?? false);
  }
}
