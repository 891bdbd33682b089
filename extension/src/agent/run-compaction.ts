// Makes room in the window: asks the model for a summary of what lies before the cut, and writes it down.
import { ModelFault } from "../llm/model.ts";
import { patiently } from "../llm/patiently.ts";
import { TAKES_TEXT } from "../llm/model-facts.ts";
import { withContents } from "./attached.ts";
import { messagesToSummarise, savingOf, SUMMARY_REQUEST, SUMMARY_SYSTEM, type Cut } from "./compaction.ts";
import type { AgentEvent, Fault, Usage } from "./events.ts";
import { HOST_WAIT_MS, MODEL_SILENCE_MS } from "./limits.ts";
import type { SessionLoop } from "./loop.ts";
import { offeredTools } from "./offered-tools.ts";
import { saidNothing } from "./run-model-step.ts";

export async function runCompaction(loop: SessionLoop, id: string | null, cut: Cut, by: "user" | "engine", signal: AbortSignal): Promise<void> {
  const { log, world } = loop;
  const compaction = id ?? world.newId();
  const model = log.turns.at(-1)?.config.model ?? log.config.model;
  const silence = new AbortController();
  try {
    // Some providers want the tools of the calls they see, also where none may be called.
    const turn = log.turns.at(-1);
    const hostTools = await (await world.hostReady(HOST_WAIT_MS)).listTools();
    const tools = turn === undefined ? [] : offeredTools(log, turn, hostTools, world.rules(), (await world.modelFacts(model)).name ?? null);
    const parts = (await world.model(model)).stream({
      system: SUMMARY_SYSTEM,
      messages: [...(await withContents(messagesToSummarise(log, cut), TAKES_TEXT, (attached) => world.attachment(attached))), { role: "user", text: SUMMARY_REQUEST }],
      tools,
      signal: AbortSignal.any([signal, silence.signal]),
    });
    let summary = "";
    let usage: Usage | null = null;
    for await (const part of patiently(parts, MODEL_SILENCE_MS, () => saidNothing(silence))) {
      if (part.type === "text") summary += part.text;
      if (part.type !== "finish") continue;
      usage = part.usage;
      // What it did not come to would be forgotten for good.
      if (part.reason === "length" || part.reason === "content_filter") throw new ModelFault(HALF_SUMMARY);
    }
    if (signal.aborted) return;
    if (summary.trim() === "") throw new ModelFault(EMPTY_SUMMARY);
    const costUsd = (await world.modelFacts(model)).price?.(usage) ?? null;
    await loop.append({ type: "Compacted", compaction, ...cut, summary, ...savingOf(loop.log, cut, summary), by, usage, costUsd });
  } catch (error) {
    if (signal.aborted) return;
    const failed: AgentEvent = { type: "CompactFailed", compaction, fault: error instanceof ModelFault ? error.fault : FAILED };
    await loop.append(failed);
  }
}

const EMPTY_SUMMARY: Fault = { code: "empty_summary", message: "The model gave no summary.", hint: "Try it again, or choose another model.", retryable: true };

const HALF_SUMMARY: Fault = { code: "half_summary", message: "The summary was cut off before it was whole.", hint: "The conversation is kept as it is. Choose a model that may say more at once.", retryable: true };

const FAILED: Fault = { code: "compact_failed", message: "The conversation could not be summarised.", hint: "It is kept as it is.", retryable: true };
