// Measures one request to a model, and hands the trace out once, however the request ends.
import type { ModelPart } from "../llm/model.ts";
import type { SessionLoop } from "./loop.ts";
import type { Trace } from "./trace.ts";

export class StepClock {
  readonly #loop: SessionLoop;
  readonly #step: string;
  readonly #model: string;
  readonly #began: number;
  #host: number | null = null;
  #sent: number | null = null;
  #first: number | null = null;
  #requestId: string | null = null;
  #outputTokens: number | null = null;
  #code: string | null = null;

  constructor(loop: SessionLoop, step: string, model: string) {
    this.#loop = loop;
    this.#step = step;
    this.#model = model;
    this.#began = loop.world.now();
  }

  /** The host has told what it offers. */
  hostAnswered(): void {
    this.#host = this.#loop.world.now();
  }

  sent(): void {
    this.#sent = this.#loop.world.now();
  }

  heard(part: ModelPart): void {
    if (part.type === "accepted") this.#requestId = part.requestId;
    else this.#first ??= this.#loop.world.now();
    if (part.type === "finish") this.#outputTokens = part.usage?.outputTokens ?? null;
  }

  failed(code: string): void {
    this.#code = code;
  }

  end(wasCancelled: boolean): void {
    const now = this.#loop.world.now();
    const sent = this.#sent ?? now;
    const streamed = this.#first === null ? 0 : now - this.#first;
    const trace: Trace = {
      session: this.#loop.session,
      step: this.#step,
      model: this.#model,
      at: this.#began,
      requestId: this.#requestId,
      queueMs: sent - this.#began,
      hostMs: (this.#host ?? now) - this.#began,
      toolsMs: toolsBefore(this.#loop, this.#step),
      firstTokenMs: this.#first === null ? null : this.#first - sent,
      totalMs: now - this.#began,
      tokensPerSecond: this.#outputTokens === null || streamed <= 0 ? null : Math.round((this.#outputTokens / streamed) * 10_000) / 10,
      outcome: wasCancelled ? "cancelled" : this.#code === null ? "answered" : "failed",
      code: this.#code,
    };
    this.#loop.world.trace(trace);
  }
}

/** Null: there was no such step, or nobody measured it. */
function toolsBefore(loop: SessionLoop, step: string): number | null {
  const steps = loop.log.turns.at(-1)?.steps ?? [];
  const before = steps[steps.findIndex(({ id }) => id === step) - 1];
  const times = (before?.calls ?? []).flatMap(({ result }) => result?.durationMs ?? []);
  return times.length === 0 ? null : times.reduce((sum, ms) => sum + ms, 0);
}
