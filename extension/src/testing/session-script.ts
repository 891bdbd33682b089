// A session written down event by event, with a clock of its own: for unit tests only.
import { isAdmissible } from "../agent/admissible.ts";
import type { AgentEvent, ModelLimits, PromptEstimate, SessionConfig, StoredEvent, Usage } from "../agent/events.ts";
import { emptyLog, foldEvent } from "../agent/fold.ts";
import type { SessionLog } from "../agent/log.ts";
import type { Plan } from "../wire/plan.ts";

export interface ScriptCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly isError?: boolean;
  readonly readOnly?: boolean;
}

export class SessionScript {
  readonly events: StoredEvent[] = [];
  log: SessionLog = emptyLog("s");
  now = 1_000;
  #ids = 0;
  #limits: ModelLimits = { window: null, output: null };

  constructor(config: SessionConfig = { workspace: null, model: "demo", mode: "ask" }) {
    this.add({ type: "SessionStarted", config });
  }

  /** What may not be written is a mistake of the test. */
  add(...events: readonly AgentEvent[]): this {
    for (const event of events) {
      if (!isAdmissible(this.log, event)) throw new Error(`not admissible: ${JSON.stringify(event)}`);
      const seq = this.log.seq + 1;
      const stored: StoredEvent = { session: "s", seq, id: `e${seq}`, parent: this.log.lastEvent, at: this.now, event };
      this.events.push(stored);
      this.log = foldEvent(this.log, stored);
    }
    return this;
  }

  /** What is known of the model, for the turns that begin from now on. */
  withWindow(window: number | null, tokenFactor?: number): this {
    this.#limits = { window, output: null, ...(tokenFactor === undefined ? {} : { tokenFactor }) };
    return this;
  }

  wait(ms: number): this {
    this.now += ms;
    return this;
  }

  say(text: string): this {
    return this.add({ type: "UserMessage", message: this.#id("m"), text });
  }

  begin(): this {
    return this.add({ type: "TurnStart", turn: this.#turn, message: this.#turn, config: this.log.config, modelLabel: "Scripted", limits: this.#limits });
  }

  /** A whole step: calls and their results. No calls: the final answer. */
  step(calls: readonly ScriptCall[], more: { readonly text?: string; readonly usage?: Usage; readonly costUsd?: number | null; readonly estimate?: PromptEstimate } = {}): this {
    const ids = this.#seal(calls, more);
    for (const [place, call] of calls.entries()) this.result(ids[place] ?? "", call.text, call.isError ?? false);
    return this.add({ type: "StepEnd", step: this.#step });
  }

  result(call: string, text: string, isError = false): this {
    return this.add({ type: "ToolResult", call, isError, text, structured: null, origin: "host", replayed: false, durationMs: 1 });
  }

  /** A step whose one call waits for a person. */
  askFor(tool: string): this {
    const [call] = this.#seal([{ tool, args: {}, text: "", readOnly: false }], {});
    return this.add({ type: "ApprovalAsked", call: call ?? "", plan: { ...PLAN, tool }, requestState: "r", instance: "i" });
  }

  allow(text: string): this {
    const call = this.log.turns.at(-1)?.steps.at(-1)?.calls.at(-1)?.id ?? "";
    this.add({ type: "ApprovalAnswered", call, plan: "p", digest: "d", decision: "allow", note: null, hunks: null, by: "user" });
    return this.result(call, text).add({ type: "StepEnd", step: this.#step });
  }

  end(outcome: "complete" | "cancelled" | "failed" = "complete"): this {
    return this.add({ type: "TurnEnd", turn: this.#turn, outcome, fault: null });
  }

  resume(): this {
    this.add({ type: "TurnPaused", turn: this.#turn, reason: "step_cap", message: "" });
    return this.add({ type: "TurnResumed", turn: this.#turn, by: "user" });
  }

  #seal(calls: readonly ScriptCall[], more: { readonly text?: string; readonly usage?: Usage; readonly costUsd?: number | null; readonly estimate?: PromptEstimate }): readonly string[] {
    const steps = this.log.turns.at(-1)?.steps.length ?? 0;
    const step = `${this.#turn}.${steps + 1}`;
    this.add({ type: "StepStart", turn: this.#turn, step, index: steps, attempt: 1 });
    const ids = calls.map((call) => {
      const id = this.#id("c");
      this.add({ type: "ToolRequested", step, call: id, providerCall: id, tool: call.tool, argsText: JSON.stringify(call.args), readOnly: call.readOnly ?? true, path: null });
      return id;
    });
    this.add({
      type: "AssistantDone",
      step,
      text: more.text ?? "",
      reasoning: "",
      finish: calls.length > 0 ? "tool_calls" : "stop",
      usage: more.usage ?? null,
      ...(more.estimate === undefined ? {} : { estimate: more.estimate }),
      ...(more.costUsd === undefined ? {} : { costUsd: more.costUsd }),
    });
    return ids;
  }

  get #turn(): string {
    return this.log.turns.at(-1)?.id ?? "";
  }

  get #step(): string {
    return this.log.turns.at(-1)?.steps.at(-1)?.id ?? "";
  }

  #id(prefix: string): string {
    this.#ids += 1;
    return `${prefix}${this.#ids}`;
  }
}

const PLAN: Plan = {
  id: "p",
  digest: "d",
  tool: "",
  workspace: "app",
  tier: "batch",
  reasons: [],
  summary: "",
  preview: { kind: "stage", action: "stage", paths: [] },
  expires_at: "2030-01-01T00:00:00Z",
};
