// Live output of a running command, coalesced into the log for the panel.
import type { OutputNotification } from "../wire/decode.ts";
import { DELTA_MS, OUTPUT_KEPT } from "./limits.ts";
import type { SessionLoop } from "./loop.ts";

export class LiveOutput {
  readonly #loop: SessionLoop;
  readonly #call: string;
  #unwritten: { text: string; offset: number; skippedBytes: number } | null = null;
  #kept = 0;
  #skipped = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(loop: SessionLoop, call: string) {
    this.#loop = loop;
    this.#call = call;
  }

  add(piece: OutputNotification): void {
    if (this.#kept + piece.text.length > OUTPUT_KEPT) {
      this.#skipped += piece.text.length;
      return;
    }
    this.#kept += piece.text.length;
    this.#unwritten ??= { text: "", offset: piece.offset, skippedBytes: 0 };
    this.#unwritten.text += piece.text;
    this.#unwritten.skippedBytes = piece.skipped_bytes + this.#skipped;
    this.#timer ??= setTimeout(() => void this.flush().catch(() => {}), DELTA_MS);
  }

  async flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const unwritten = this.#unwritten;
    this.#unwritten = null;
    if (unwritten !== null) await this.#loop.append({ type: "ToolOutput", call: this.#call, ...unwritten });
  }
}
