// A model that says what a test tells it to, step by step: for unit tests only.
import type { Model, ModelPart, ModelRequest } from "../llm/model.ts";

export type ScriptStep = (request: ModelRequest) => AsyncIterable<ModelPart> | readonly ModelPart[];

export class ScriptedModel implements Model {
  readonly label: string;
  readonly requests: ModelRequest[] = [];
  readonly #next: (request: ModelRequest) => ScriptStep;

  /** Chooses by what is in the prompt, as a real model does, so that a step asked for again gets the same answer. */
  constructor(next: (request: ModelRequest) => ScriptStep, label = "Scripted") {
    this.label = label;
    this.#next = next;
  }

  /** One entry per whole step of the conversation so far. */
  static steps(...steps: readonly ScriptStep[]): ScriptedModel {
    return new ScriptedModel((request) => {
      const place = request.messages.filter((message) => message.role === "assistant").length;
      return steps[place] ?? (() => say("done"));
    });
  }

  async *stream(request: ModelRequest): AsyncIterable<ModelPart> {
    this.requests.push(request);
    yield* this.#next(request)(request);
  }
}

export function say(text: string): readonly ModelPart[] {
  return [
    { type: "text", text },
    { type: "finish", reason: "stop", usage: { inputTokens: 10, outputTokens: 2, cachedInputTokens: null, reasoningTokens: null }, providerData: null },
  ];
}

export function callTools(...calls: readonly (readonly [tool: string, args: unknown])[]): readonly ModelPart[] {
  return [
    { type: "text", text: "Let me see." },
    ...calls.map(([tool, args], place): ModelPart => ({
      type: "call",
      providerCall: `call_${place}`,
      tool,
      argsText: typeof args === "string" ? args : JSON.stringify(args),
      providerData: null,
    })),
    { type: "finish", reason: "tool_calls", usage: null, providerData: null },
  ];
}
