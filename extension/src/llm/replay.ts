// A recorded session's model: says again, step by step, what was said then. For bug reports, demos and tests; asks nobody.
import type { AgentEvent } from "../wire/events.ts";
import type { Model, ModelPart } from "./model.ts";

interface RecordedStep {
  readonly done: Extract<AgentEvent, { type: "AssistantDone" }>;
  readonly calls: readonly Extract<AgentEvent, { type: "ToolRequested" }>[];
}

/** `events` of one session. By the number of whole steps in the prompt, so that a step that is asked for again is the same. */
export function replayModel(events: readonly AgentEvent[], label = "Replay"): Model {
  const steps = recordedSteps(events);
  return {
    label,
    async *stream({ messages }) {
      const step = steps[messages.filter(({ role }) => role === "assistant").length];
      if (step !== undefined) yield* partsOf(step);
    },
  };
}

function recordedSteps(events: readonly AgentEvent[]): readonly RecordedStep[] {
  return events.flatMap((event) => {
    if (event.type !== "AssistantDone") return [];
    return [{ done: event, calls: events.filter((each) => each.type === "ToolRequested" && each.step === event.step) as RecordedStep["calls"] }];
  });
}

function* partsOf({ done, calls }: RecordedStep): Iterable<ModelPart> {
  if (done.reasoning !== "") yield { type: "reasoning", text: done.reasoning };
  if (done.text !== "") yield { type: "text", text: done.text };
  for (const { providerCall, tool, argsText, providerData } of calls) yield { type: "call", providerCall, tool, argsText, providerData: providerData ?? null };
  yield { type: "finish", reason: done.finish, usage: done.usage, providerData: done.providerData ?? null };
}
