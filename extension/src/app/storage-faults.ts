// Sessions that could not be written down: each is told until it is written again, or is gone.
import type { Fault } from "../agent/events.ts";
import { SequenceTaken } from "../storage/storage.ts";
import { StoreShut } from "../storage/store-shut.ts";

export class StorageFaults {
  /** Oldest first. */
  readonly #broken = new Map<string, Fault>();

  #shut: StoreShut | null = null;

  /** A store that is shut, or the newest; null: everything can be written. */
  get current(): Fault | null {
    return this.#shut === null ? ([...this.#broken.values()].at(-1) ?? null) : shutFault(this.#shut);
  }

  /** Null: it is open again. */
  shut(shut: StoreShut | null): void {
    this.#shut = shut;
    // What could not be written for that reason can be now.
    if (shut === null) for (const [session, { code }] of this.#broken) if (code === "storage") this.#broken.delete(session);
  }

  broken(session: string, error: unknown): void {
    // Told by itself.
    if (error instanceof StoreShut) return;
    this.#broken.delete(session);
    if (error instanceof SequenceTaken) {
      this.#broken.set(session, { code: "locked", message: "Another window's engine works on this session.", hint: "Close it there first.", retryable: true });
      return;
    }
    this.#broken.set(session, {
      code: "storage",
      message: `A session could not be written down: ${error instanceof Error ? error.message : String(error)}`,
      hint: "Make room on the disk, then try again.",
      retryable: true,
    });
  }

  /** It was written, or is gone. True: that was news. */
  mended(session: string): boolean {
    return this.#broken.delete(session);
  }
}

/** Nothing of what was stored is lost, and what was not written down is still in the panel. */
export function shutFault({ isFull, message, cause }: StoreShut): Fault {
  const why = cause instanceof Error ? `${message} (${cause.message})` : message;
  return isFull
    ? { code: "store_full", message: "The disk is full, so the browser has shut the place where your sessions are kept.", hint: "Nothing that was stored is lost. Make room on the disk; it goes on by itself.", retryable: true }
    : { code: "store_shut", message: `The browser has shut the place where your sessions are kept: ${why}`, hint: "Nothing that was stored is lost. Make sure there is room on the disk and try again; if it stays so, start the browser again.", retryable: true };
}
