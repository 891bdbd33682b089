// Sessions that could not be written down: each is told until it is written again, or is gone.
import type { Fault } from "../agent/events.ts";
import { SequenceTaken } from "../storage/storage.ts";

export class StorageFaults {
  /** Oldest first. */
  readonly #broken = new Map<string, Fault>();

  /** The newest; null: everything can be written. */
  get current(): Fault | null {
    return [...this.#broken.values()].at(-1) ?? null;
  }

  broken(session: string, error: unknown): void {
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
