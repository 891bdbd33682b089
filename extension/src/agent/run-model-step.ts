// One request to the model: the prompt from the log, the stream into the log, sealed by its own end.
import { HostUnreachable } from "../host/faults.ts";
import { CallUnanswered, HostRefused } from "../host/host-client.ts";
import { localDay } from "../lib/local-day.ts";
import { parseArgs } from "../lib/parse-args.ts";
import { ModelFault } from "../llm/model.ts";
import { patiently } from "../llm/patiently.ts";
import { WireError, type WireTool } from "../wire/decode.ts";
import { withContents } from "./attached.ts";
import { buildMessages, systemPrompt } from "./context.ts";
import { isOverTime, timeCap } from "./caps.ts";
import type { AgentEvent, Fault, SessionConfig } from "./events.ts";
import { reasonToCut } from "./hooks/catalog.ts";
import type { StepLog, TurnLog } from "./log.ts";
import { loopToolOf } from "./loop-tools/catalog.ts";
import { offeredTools } from "./offered-tools.ts";
import { estimatePrompt } from "./meter.ts";
import { StepClock } from "./step-clock.ts";
import { DELTA_MS, HOST_WAIT_MS, MODEL_SILENCE_MS } from "./limits.ts";
import type { SessionLoop } from "./loop.ts";

export async function runModelStep(loop: SessionLoop, turn: TurnLog, step: StepLog, signal: AbortSignal): Promise<void> {
  const draft = new Draft(loop, step.id);
  const clock = new StepClock(loop, step.id, turn.config.model);
  const silence = new AbortController();
  const began = loop.world.now();
  try {
    const host = await loop.world.hostReady(HOST_WAIT_MS);
    const tools = await host.listTools();
    clock.hostAnswered();
    const model = await loop.world.model(turn.config.model);
    const system = systemPrompt(await host.workspace(turn.config.workspace), turn.config, loop.log.origin, { log: loop.log, day: localDay(loop.world.now()) });
    const messages = buildMessages(loop.log);
    const { takes, name } = await loop.world.modelFacts(turn.config.model);
    const sent = await withContents(messages, takes, (id) => loop.world.attachment(id));
    const offered = offeredTools(loop.log, turn, tools, loop.world.rules(), name ?? null);
    clock.sent();
    const thinking = turn.config.thinking === undefined ? {} : { thinking: turn.config.thinking };
    const parts = model.stream({ system, messages: sent, tools: offered, maxOutputTokens: turn.limits.output, ...thinking, signal: AbortSignal.any([signal, silence.signal]) });
    for await (const part of patiently(parts, MODEL_SILENCE_MS, () => saidNothing(silence))) {
      if (signal.aborted) return;
      clock.heard(part);
      switch (part.type) {
        case "text":
        case "reasoning":
          draft.add(part.type, part.text);
          if (part.type === "text") draft.mustMakeSense(turn.config);
          mustBeInTime(loop, began);
          break;
        case "call": {
          await draft.flush();
          const { providerCall, tool, argsText, providerData } = part;
          const known = tools.find((candidate) => candidate.name === tool);
          await loop.append({
            type: "ToolRequested",
            step: step.id,
            call: loop.world.newId(),
            providerCall,
            tool,
            argsText,
            readOnly: known?.annotations.readOnlyHint ?? loopToolOf(tool)?.readOnly ?? false,
            path: plannablePath(known, argsText),
            ...(providerData === null ? {} : { providerData }),
          });
          break;
        }
        case "finish": {
          await draft.flush();
          if (signal.aborted) return;
          await loop.append({
            type: "AssistantDone",
            step: step.id,
            text: draft.text,
            reasoning: draft.reasoning,
            finish: part.reason,
            usage: part.usage,
            estimate: estimatePrompt(system, offered, messages),
            costUsd: (await loop.world.modelFacts(turn.config.model)).price?.(part.usage) ?? null,
            ...(part.providerData === null ? {} : { providerData: part.providerData }),
          });
          return;
        }
      }
    }
    if (!signal.aborted) throw new ModelFault(ENDED_EARLY);
  } catch (error) {
    if (signal.aborted) return;
    silence.abort();
    await draft.flush();
    const cut = cutEvent(step.id, error);
    clock.failed(cut.fault.code);
    await loop.append(cut, ...(cut.fault.code === OVER_TIME.code ? [{ type: "TurnPaused" as const, turn: turn.id, ...timeCap(turn) }] : []));
  } finally {
    clock.end(signal.aborted);
    draft.stop();
  }
}

/** A stream that drips for hours has no step boundary at which the time cap could pause it. */
export function mustBeInTime(loop: SessionLoop, began: number): void {
  const turn = loop.log.turns.at(-1);
  if (turn !== undefined && isOverTime(turn, loop.log.updatedAt, began, loop.world.now())) throw new ModelFault(OVER_TIME);
}

const OVER_TIME: Fault = { code: "time_cap", message: "The model's answer took longer than the time limit.", hint: "What arrived is kept as a draft.", retryable: false };

function cutEvent(step: string, error: unknown): Extract<AgentEvent, { type: "StreamCut" }> {
  if (error instanceof ModelFault) return { type: "StreamCut", step, fault: error.fault, retryAfterMs: error.retryAfterMs };
  if (error instanceof HostUnreachable) return { type: "StreamCut", step, fault: hostFault(error), retryAfterMs: null };
  if (error instanceof CallUnanswered) return { type: "StreamCut", step, fault: HOST_SILENT, retryAfterMs: 1_000 };
  if (error instanceof HostRefused || error instanceof WireError) {
    const hint = "The host and this extension may be of different versions. Update both, then press Retry.";
    return { type: "StreamCut", step, fault: { code: "host_refused", message: `The host did not tell its tools: ${error.message}`, hint, retryable: false }, retryAfterMs: null };
  }
  throw error;
}

/** The connection tries again by itself; a turn says what is wrong and waits for Retry. */
export function hostFault(error: HostUnreachable): Fault {
  const { code, message, hint, command } = error.fault;
  return { code, message, hint: command === null ? hint : `${hint} \`${command}\``, retryable: false };
}

/**
 * A write whose only target is one path can be planned beside others. What names a list, a command or a second path
 * depends on more than it says, and waits. Read from the arguments, so that no table of tools stands here.
 */
function plannablePath(tool: WireTool | undefined, argsText: string): string | null {
  if (tool?._meta["dev.outrigger/tier"] !== "batch") return null;
  const args = parseArgs(argsText);
  if (args === null || typeof args["path"] !== "string" || args["path"].includes(":")) return null;
  return ["paths", "command", "from", "to", "workdir"].some((name) => name in args) ? null : args["path"];
}

export const ENDED_EARLY: Fault = {
  code: "stream_cut",
  message: "The model's answer ended before it was whole.",
  hint: "What arrived is kept as a draft.",
  retryable: true,
};

/** Ends the request, and says why. Not tried again by itself: so long a silence is not chance. */
export function saidNothing(request: AbortController): ModelFault {
  request.abort();
  const minutes = MODEL_SILENCE_MS / 60_000;
  return new ModelFault({ code: "model_silent", message: `The model said nothing for ${minutes} minutes.`, hint: "Look whether its server still works, then press Retry.", retryable: false });
}

const HOST_SILENT: Fault = {
  code: "host_silent",
  message: "The host was lost before the model could be asked.",
  hint: "It is tried again by itself.",
  retryable: true,
};

/** Characters between two looks at an answer, and how many of them are looked at. */
const LOOK_EVERY = 500;
const LOOK_BACK = 8_000;

/** Collects deltas and writes them together. */
class Draft {
  text = "";
  reasoning = "";
  readonly #loop: SessionLoop;
  readonly #step: string;
  readonly #unwritten = { text: "", reasoning: "" };
  #looked = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(loop: SessionLoop, step: string) {
    this.#loop = loop;
    this.#step = step;
  }

  add(kind: "text" | "reasoning", piece: string): void {
    this[kind] += piece;
    this.#unwritten[kind] += piece;
    this.#timer ??= setTimeout(() => void this.flush().catch(() => {}), DELTA_MS);
  }

  /** Looked at now and then: a hook may know that nothing good comes any more. */
  mustMakeSense(config: SessionConfig): void {
    if (this.text.length - this.#looked < LOOK_EVERY) return;
    this.#looked = this.text.length;
    const reason = reasonToCut(config, this.text.slice(-LOOK_BACK));
    if (reason !== null) throw new ModelFault({ code: "answer_ended", message: `The answer was ended: ${reason}.`, hint: "What arrived is kept as a draft. Press Retry, or choose another model.", retryable: false });
  }

  async flush(): Promise<void> {
    this.stop();
    const { text, reasoning } = this.#unwritten;
    this.#unwritten.text = "";
    this.#unwritten.reasoning = "";
    const events: AgentEvent[] = [];
    if (reasoning !== "") events.push({ type: "ReasoningDelta", step: this.#step, text: reasoning });
    if (text !== "") events.push({ type: "AssistantDelta", step: this.#step, text });
    if (events.length > 0) await this.#loop.append(...events);
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
