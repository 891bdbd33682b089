// Any server that speaks OpenAI's chat completions, through the AI SDK's provider package. Tools are never run here.
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { JSONSchema7, LanguageModelV4Prompt, LanguageModelV4StreamPart, LanguageModelV4Usage, SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { FinishReason, ProviderData, Usage } from "../wire/events.ts";
import { explainFault } from "./explain-fault.ts";
import type { Model, ModelPart, ModelRequest, PromptMessage } from "./model.ts";

export interface OpenAiCompatibleOptions {
  readonly label: string;
  readonly baseUrl: string;
  readonly modelName: string;
  readonly apiKey: string | null;
  readonly fetch?: typeof fetch;
}

export function openAiCompatibleModel(options: OpenAiCompatibleOptions): Model {
  const provider = createOpenAICompatible({
    name: "openaiCompatible",
    baseURL: options.baseUrl.replace(/\/+$/, ""),
    includeUsage: true,
    ...(options.apiKey === null ? {} : { apiKey: options.apiKey }),
    ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
  });
  const model = provider.chatModel(options.modelName);
  return {
    label: options.label,
    async *stream(request) {
      try {
        const { stream, response } = await model.doStream({
          prompt: promptOf(request),
          ...(request.maxOutputTokens ? { maxOutputTokens: request.maxOutputTokens } : {}),
          tools: request.tools.map((tool) => ({
            type: "function" as const,
            name: tool.name,
            description: tool.description,
            inputSchema: tool.parameters as JSONSchema7,
          })),
          abortSignal: request.signal,
        });
        yield { type: "accepted", requestId: response?.headers?.["x-request-id"] ?? null };
        for await (const part of iterate(stream)) {
          const mapped = mapPart(part);
          if (mapped !== null) yield mapped;
        }
      } catch (error) {
        if (request.signal.aborted) throw error;
        throw explainFault(error, options.label, Date.now());
      }
    },
  };
}

function promptOf(request: ModelRequest): LanguageModelV4Prompt {
  return [{ role: "system", content: request.system }, ...request.messages.map(promptMessage)];
}

function promptMessage(message: PromptMessage): LanguageModelV4Prompt[number] {
  switch (message.role) {
    case "user":
      return { role: "user", content: [{ type: "text", text: message.text }] };
    case "assistant":
      return {
        role: "assistant",
        content: [
          ...(message.reasoning === "" ? [] : [{ type: "reasoning" as const, text: message.reasoning, ...optionsOf(message.providerData) }]),
          ...(message.text === "" ? [] : [{ type: "text" as const, text: message.text }]),
          ...message.calls.map((call) => ({
            type: "tool-call" as const,
            toolCallId: call.call,
            toolName: call.tool,
            input: parsedOrText(call.argsText),
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
            toolCallId: message.call,
            toolName: message.tool,
            output: { type: message.isError ? "error-text" : "text", value: message.text },
          },
        ],
      };
  }
}

function optionsOf(data: ProviderData | null): { providerOptions?: SharedV4ProviderOptions } {
  return data === null ? {} : { providerOptions: data as SharedV4ProviderOptions };
}

function parsedOrText(argsText: string): unknown {
  if (argsText.trim() === "") return {};
  try {
    return JSON.parse(argsText);
  } catch {
    return argsText;
  }
}

function mapPart(part: LanguageModelV4StreamPart): ModelPart | null {
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
      return {
        type: "finish",
        reason: FINISH[part.finishReason.unified] ?? "other",
        usage: usageOf(part.usage),
        providerData: null,
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
