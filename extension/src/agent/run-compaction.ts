// Makes room in the window: asks the model for a summary of what lies before the cut, and writes it down.
//
// Asked again as a step is: what was refused, a few times; what had begun to answer costs again, and is asked for twice more at most.
import { ModelFault, type Model, type ModelRequest } from "../llm/model.ts";
import { patiently } from "../llm/patiently.ts";
import { TAKES_TEXT } from "../llm/model-facts.ts";
import { withContents } from "./attached.ts";
import { limitsOf } from "./caps.ts";
import { messagesToSummarise, savingOf, SUMMARY_REQUEST, SUMMARY_SYSTEM, type Cut } from "./compaction.ts";
import type { AgentEvent, Fault, FinishReason, ModelName, Usage } from "./events.ts";
import { BILLED_RETRIES, HOST_WAIT_MS, LONGEST_RETRY_AFTER_MS, MODEL_SILENCE_MS } from "./limits.ts";
import type { TurnLog } from "./log.ts";
import type { SessionLoop } from "./loop.ts";
import { offeredTools } from "./offered-tools.ts";
import { retryDelay } from "./retry-delay.ts";
import { ENDED_EARLY, mustBeInTime, saidNothing } from "./run-model-step.ts";
import { StepClock } from "./step-clock.ts";

export async function runCompaction(loop: SessionLoop, id: string | null, cut: Cut, by: "user" | "engine", signal: AbortSignal): Promise<void> {
  const { log, world } = loop;
  const compaction = id ?? world.newId();
  const turn = log.turns.at(-1);
  if (turn === undefined) return;
  const own = turn.config.model;
  const helper = await world.helperModel("summary");
  let model = helper ?? own;
  let told: Told | null = null;
  try {
    // Some providers want the tools of the calls they see, also where none may be called.
    const hostTools = await (await world.hostReady(HOST_WAIT_MS)).listTools();
    const tools = offeredTools(log, turn, hostTools, world.rules(), (await world.modelFacts(own)).name ?? null);
    const messages = [...(await withContents(messagesToSummarise(log, cut), TAKES_TEXT, (attached) => world.attachment(attached))), { role: "user" as const, text: SUMMARY_REQUEST }];
    const ask = (): Promise<Told | null> => tellPatiently(loop, compaction, turn, model, { system: SUMMARY_SYSTEM, messages, tools }, signal);
    told = await ask().catch((error: unknown) => {
      // It may be too small for the conversation, or not be there: the one that has it in its window is asked then.
      if (model === own || signal.aborted || !(error instanceof ModelFault) || error.fault.retryable) throw error;
      model = own;
      return ask();
    });
    if (told === null) return;
    // What it did not come to would be forgotten for good.
    if (told.reason === "length" || told.reason === "content_filter") throw new ModelFault(HALF_SUMMARY);
    if (told.summary.trim() === "") throw new ModelFault(EMPTY_SUMMARY);
    const { summary, usage } = told;
    await loop.append({ type: "Compacted", compaction, ...cut, summary, ...savingOf(loop.log, cut, summary), by, usage, costUsd: await costOf(loop, model, usage), ...(await named(loop, model, own)) });
  } catch (error) {
    if (signal.aborted) return;
    // One that is of no use was paid for all the same.
    const spent = told === null ? {} : { usage: told.usage, costUsd: await costOf(loop, model, told.usage), ...(await named(loop, model, own)) };
    const failed: AgentEvent = { type: "CompactFailed", compaction, fault: error instanceof ModelFault ? error.fault : FAILED, ...spent };
    await loop.append(failed);
  }
}

interface Told {
  readonly summary: string;
  readonly usage: Usage | null;
  readonly reason: FinishReason;
}

/** Null: it was stopped. */
async function tellPatiently(loop: SessionLoop, compaction: string, turn: TurnLog, model: string, request: Omit<ModelRequest, "signal">, signal: AbortSignal): Promise<Told | null> {
  const limits = limitsOf(turn);
  // Attempts of an engine that died count as well.
  const before = loop.log.compactRetry;
  const isEnough = (attempts: number, paid: number) => paid > BILLED_RETRIES || attempts - paid > limits.retries;
  if (before !== null) {
    if (isEnough(before.attempt, before.billed ?? 0)) throw new ModelFault(before.fault);
    await loop.nap(Math.max(0, before.at - Math.max(loop.world.now(), loop.log.updatedAt)), signal);
  }
  for (let attempt = (before?.attempt ?? 0) + 1, billed = before?.billed ?? 0; !signal.aborted; attempt += 1) {
    const heard = { any: false };
    try {
      return await tell(loop, compaction, model, request, heard, signal);
    } catch (error) {
      if (signal.aborted) return null;
      if (!(error instanceof ModelFault) || !error.fault.retryable || (error.retryAfterMs ?? 0) > LONGEST_RETRY_AFTER_MS) throw error;
      if (heard.any) billed += 1;
      if (isEnough(attempt, billed)) throw error;
      const wait = retryDelay(attempt, error.retryAfterMs, loop.world.random(), limits);
      await loop.append({ type: "CompactRetryScheduled", compaction, attempt, billed, at: loop.world.now() + wait, fault: error.fault });
      await loop.nap(wait, signal);
    }
  }
  return null;
}

async function tell(loop: SessionLoop, compaction: string, model: string, request: Omit<ModelRequest, "signal">, heard: { any: boolean }, signal: AbortSignal): Promise<Told | null> {
  const clock = new StepClock(loop, compaction, model);
  const silence = new AbortController();
  const began = loop.world.now();
  try {
    const opened: Model = await loop.world.model(model);
    clock.sent();
    const parts = opened.stream({ ...request, signal: AbortSignal.any([signal, silence.signal]) });
    let summary = "";
    for await (const part of patiently(parts, MODEL_SILENCE_MS, () => saidNothing(silence))) {
      if (signal.aborted) return null;
      clock.heard(part);
      if (part.type !== "finish") mustBeInTime(loop, began);
      heard.any ||= part.type !== "accepted";
      if (part.type === "text") summary += part.text;
      if (part.type === "finish") return { summary, usage: part.usage, reason: part.reason };
    }
    if (signal.aborted) return null;
    throw new ModelFault(ENDED_EARLY);
  } catch (error) {
    silence.abort();
    clock.failed(error instanceof ModelFault ? error.fault.code : FAILED.code);
    throw error;
  } finally {
    clock.end(signal.aborted);
  }
}

async function named({ world }: SessionLoop, model: string, own: string): Promise<{ readonly model?: ModelName }> {
  return model === own ? {} : { model: { id: model, label: await world.modelLabel(model) } };
}

async function costOf(loop: SessionLoop, model: string, usage: Usage | null): Promise<number | null> {
  return (await loop.world.modelFacts(model)).price?.(usage) ?? null;
}

const EMPTY_SUMMARY: Fault = { code: "empty_summary", message: "The model gave no summary.", hint: "Try it again, or choose another model.", retryable: true };

const HALF_SUMMARY: Fault = { code: "half_summary", message: "The summary was cut off before it was whole.", hint: "The conversation is kept as it is. Choose a model that may say more at once.", retryable: true };

const FAILED: Fault = { code: "compact_failed", message: "The conversation could not be summarised.", hint: "It is kept as it is.", retryable: true };
