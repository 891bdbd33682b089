// Live output of a running command, coalesced into the log for the panel.
//
// The log keeps the beginning whole. Of what a command writes after that, a piece is kept now and then, so that whoever looks sees
// that it works and what it is at; the rest is counted.
import type { OutputNotification } from "../wire/decode.ts";
import { DELTA_MS, LATE_OUTPUT, LATE_OUTPUT_MS, OUTPUT_KEPT } from "./limits.ts";
import type { SessionLoop } from "./loop.ts";

export class LiveOutput {
  readonly #loop: Pick<SessionLoop, "append">;
  readonly #call: string;
  #unwritten: { text: string; offset: number; skippedBytes: number } | null = null;
  #kept = 0;
  #skipped = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(loop: Pick<SessionLoop, "append">, call: string) {
    this.#loop = loop;
    this.#call = call;
  }

  add(piece: OutputNotification): void {
    const isLate = this.#kept + piece.text.length > OUTPUT_KEPT;
    // What came before is written as it is.
    if (isLate && this.#kept <= OUTPUT_KEPT) void this.flush().catch(() => {});
    this.#kept += piece.text.length;
    this.#unwritten ??= { text: "", offset: piece.offset, skippedBytes: 0 };
    this.#unwritten.text += piece.text;
    if (isLate) this.#shorten(this.#unwritten);
    this.#unwritten.skippedBytes = piece.skipped_bytes + this.#skipped;
    this.#timer ??= setTimeout(() => void this.flush().catch(() => {}), isLate ? LATE_OUTPUT_MS : DELTA_MS);
  }

  async flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const unwritten = this.#unwritten;
    this.#unwritten = null;
    if (unwritten !== null) await this.#loop.append({ type: "ToolOutput", call: this.#call, ...unwritten });
  }

  #shorten(late: { text: string }): void {
    const dropped = Math.max(0, late.text.length - LATE_OUTPUT);
    late.text = late.text.slice(dropped);
    this.#skipped += dropped;
  }
}
