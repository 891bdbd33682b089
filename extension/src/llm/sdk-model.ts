// From a provider package of the AI SDK to a model of ours: prompts out, parts in, faults in words. Tools are never run here.
import { InvalidResponseDataError } from "@ai-sdk/provider";
import type { JSONSchema7, LanguageModelV4, LanguageModelV4Prompt, LanguageModelV4StreamPart, LanguageModelV4Usage, SharedV4ProviderMetadata, SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { FinishReason, ProviderData, Usage } from "../wire/events.ts";
import { parseArgs } from "../lib/parse-args.ts";
import { blotted } from "./blotted.ts";
import { explainFault } from "./explain-fault.ts";
import { ModelFault, type Model, type ModelPart, type ModelRequest, type PromptFile, type PromptMessage } from "./model.ts";

export interface SdkModelOptions {
  readonly label: string;
  /** The key: a server that repeats it in an error must not bring it into a log. */
  readonly secret: string | null;
  readonly model: LanguageModelV4;
  /** What every request of this provider carries. */
  readonly providerOptions?: SharedV4ProviderOptions;
  /** It takes no other names of calls than plain ones; those of a talk that began elsewhere are made so. */
  readonly plainIds?: boolean;
}

export function sdkModel({ label, secret, model, providerOptions, plainIds = false }: SdkModelOptions): Model {
  return {
    label,
    async *stream(request) {
      const kept = new Kept();
      try {
        const { stream, response } = await model.doStream({
          prompt: promptOf(request, plainIds ? plainId : (id) => id),
          ...(request.maxOutputTokens ? { maxOutputTokens: request.maxOutputTokens } : {}),
          ...(request.thinking === undefined ? {} : { reasoning: request.thinking }),
          ...(providerOptions === undefined ? {} : { providerOptions }),
          tools: request.tools.map((tool) => ({
            type: "function" as const,
            name: tool.name,
            description: tool.description,
            inputSchema: tool.parameters as JSONSchema7,
          })),
          abortSignal: request.signal,
        });
        yield { type: "accepted", requestId: requestId(response?.headers, secret) };
        for await (const part of iterate(stream)) {
          kept.hear(part);
          const mapped = mapPart(part, kept, label);
          if (mapped === null) continue;
          yield mapped;
          if (mapped.type === "finish") return;
        }
        throw new ModelFault(cutOff(label));
      } catch (error) {
        if (request.signal.aborted) throw error;
        throw explainFault(error, label, Date.now(), secret);
      }
    },
  };
}

/** What must go back to the provider unchanged: signed or encrypted reasoning, ids of texts. */
class Kept {
  readonly #reasoning = new Map<string, { text: string; data: ProviderData | null }>();
  #text: ProviderData | null = null;

  hear(part: LanguageModelV4StreamPart): void {
    if (part.type === "reasoning-start" || part.type === "reasoning-delta" || part.type === "reasoning-end") {
      const known = this.#reasoning.get(part.id) ?? { text: "", data: null };
      if (part.type === "reasoning-delta") known.text += part.delta;
      known.data = merged(known.data, part.providerMetadata);
      this.#reasoning.set(part.id, known);
    }
    if (part.type === "text-start" || part.type === "text-delta" || part.type === "text-end") this.#text = merged(this.#text, part.providerMetadata);
  }

  get data(): ProviderData | null {
    const reasoning = [...this.#reasoning.values()].filter(({ data }) => data !== null);
    if (reasoning.length === 0 && this.#text === null) return null;
    return { reasoning, text: this.#text };
  }
}

/** Providers tell in pieces: a later piece adds to an earlier one, key by key. */
function merged(known: ProviderData | null, more: SharedV4ProviderMetadata | undefined): ProviderData | null {
  if (more === undefined) return known;
  const result: Record<string, unknown> = { ...known };
  for (const [provider, values] of Object.entries(more)) {
    const before = result[provider];
    result[provider] = { ...(typeof before === "object" && before !== null ? before : {}), ...withoutUndefined(values as Readonly<Record<string, unknown>>) };
  }
  return result;
}

function withoutUndefined(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** A server writes what it likes there; it is kept with each trace. */
const REQUEST_ID_LENGTH = 200;

function requestId(headers: Readonly<Record<string, string>> | undefined, secret: string | null): string | null {
  const id = headers?.["x-request-id"] ?? headers?.["request-id"] ?? headers?.["x-goog-request-id"] ?? null;
  return id === null ? null : blotted(id, secret).slice(0, REQUEST_ID_LENGTH);
}

function promptOf(request: ModelRequest, callId: (id: string) => string): LanguageModelV4Prompt {
  return [{ role: "system", content: request.system }, ...request.messages.map((message) => promptMessage(message, callId))];
}

function promptMessage(message: PromptMessage, callId: (id: string) => string): LanguageModelV4Prompt[number] {
  switch (message.role) {
    case "user":
      return { role: "user", content: [...(message.files ?? []).flatMap(filePart), { type: "text", text: message.text }] };
    case "assistant":
      return {
        role: "assistant",
        content: [
          ...reasoningOf(message),
          ...textOf(message),
          ...message.calls.map((call) => ({
            type: "tool-call" as const,
            toolCallId: callId(call.call),
            toolName: plainName(call.tool),
            input: argumentsOf(call.argsText),
            ...optionsOf(call.providerData),
          })),
        ],
      };
    case "tool":
      return {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: callId(message.call),
            toolName: plainName(message.tool),
            output: { type: message.isError ? "error-text" : "text", value: message.text },
          },
        ],
      };
  }
}

/** Bytes that were read; text stands in the message. Files come first, as providers advise. */
function filePart({ attachment, base64 }: PromptFile) {
  return base64 === null ? [] : [{ type: "file" as const, filename: attachment.name, mediaType: attachment.mediaType, data: { type: "data" as const, data: base64 } }];
}

/** Signed reasoning goes back part by part as it came; what nobody signed goes back as one. */
function reasoningOf(message: Extract<PromptMessage, { role: "assistant" }>) {
  const parts = message.providerData?.["reasoning"];
  if (Array.isArray(parts) && parts.length > 0) {
    return (parts as { text: string; data: ProviderData | null }[]).map(({ text, data }) => ({ type: "reasoning" as const, text, ...optionsOf(data) }));
  }
  return message.reasoning === "" ? [] : [{ type: "reasoning" as const, text: message.reasoning }];
}

/** White space alone is refused by some providers, and says nothing; signed, it is part of what was signed. */
function textOf({ text, providerData }: Extract<PromptMessage, { role: "assistant" }>) {
  const data = textData(providerData);
  return text === "" || (text.trim() === "" && data === null) ? [] : [{ type: "text" as const, text, ...optionsOf(data) }];
}

function textData(data: ProviderData | null): ProviderData | null {
  const text = data?.["text"];
  return typeof text === "object" && text !== null ? (text as ProviderData) : null;
}

function optionsOf(data: ProviderData | null): { providerOptions?: SharedV4ProviderOptions } {
  return data === null ? {} : { providerOptions: data as SharedV4ProviderOptions };
}

/** Of what a model wrote instead of arguments: enough to see what was wrong. */
const UNREADABLE_LENGTH = 2_000;

/** Providers take an object here and nothing else, also where the model wrote none. */
function argumentsOf(argsText: string): object {
  if (argsText.trim() === "") return {};
  return parseArgs(argsText) ?? { unreadable_arguments: argsText.slice(0, UNREADABLE_LENGTH) };
}

/** What every provider takes as a tool's name. A model may have called anything. */
function plainName(tool: string): string {
  const plain = tool.replaceAll(/[^\w-]/g, "_").slice(0, 64);
  return /^[a-z_]/i.test(plain) ? plain : `_${plain}`.slice(0, 64);
}

function plainId(id: string): string {
  return id.replaceAll(/[^\w-]/g, "_").slice(0, 64);
}

function mapPart(part: LanguageModelV4StreamPart, kept: Kept, label: string): ModelPart | null {
  switch (part.type) {
    case "text-delta":
      return { type: "text", text: part.delta };
    case "reasoning-delta":
      return { type: "reasoning", text: part.delta };
    case "tool-call":
      return {
        type: "call",
        providerCall: part.toolCallId,
        tool: part.toolName,
        argsText: part.input,
        providerData: (part.providerMetadata as ProviderData | undefined) ?? null,
      };
    case "finish":
      // The package always says an end; one that the provider did not say is a stream that broke off.
      if (part.finishReason.unified === "interrupted" || (part.finishReason.unified === "other" && part.finishReason.raw === undefined)) throw new ModelFault(cutOff(label));
      if (part.finishReason.unified === "error") throw new InvalidResponseDataError({ data: null, message: "the provider ended with an error" });
      return {
        type: "finish",
        reason: FINISH[part.finishReason.unified] ?? "other",
        usage: usageOf(part.usage),
        providerData: kept.data,
      };
    case "error":
      throw part.error;
    default:
      return null;
  }
}

const FINISH: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  "tool-calls": "tool_calls",
  length: "length",
  "content-filter": "content_filter",
};

function usageOf(usage: LanguageModelV4Usage): Usage | null {
  const known = {
    inputTokens: usage.inputTokens.total ?? null,
    outputTokens: usage.outputTokens.total ?? null,
    cachedInputTokens: usage.inputTokens.cacheRead ?? null,
    reasoningTokens: usage.outputTokens.reasoning ?? null,
    ...(usage.inputTokens.cacheWrite === undefined ? {} : { cacheWriteTokens: usage.inputTokens.cacheWrite }),
  };
  return known.inputTokens === null && known.outputTokens === null ? null : known;
}

/** Firefox and older Chromium cannot iterate a stream; the reader works everywhere and is always let go. */
async function* iterate<Part>(stream: ReadableStream<Part>): AsyncIterable<Part> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

function cutOff(label: string) {
  return { code: "stream_cut", message: `The answer of ${label} ended before it was whole.`, hint: "What arrived is kept as a draft.", retryable: true };
}
