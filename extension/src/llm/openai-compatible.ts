// Any server that speaks OpenAI's chat completions: Ollama, LM Studio, llama.cpp, vLLM, OpenRouter, tldw_server and many more.
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { ProviderOptions } from "./providers.ts";
import { mendingFetch } from "./mend-stream.ts";
import { modelFetch } from "./model-fetch.ts";
import type { Model } from "./model.ts";
import { sdkModel } from "./sdk-model.ts";

export function openAiCompatibleModel(options: ProviderOptions): Model {
  const provider = createOpenAICompatible({
    name: "openaiCompatible",
    baseURL: options.baseUrl.replace(/\/+$/, ""),
    includeUsage: true,
    ...(options.apiKey === null ? {} : { apiKey: options.apiKey }),
    fetch: mendingFetch(modelFetch(options.label, options.apiKey, options.fetch)),
  });
  return sdkModel({ label: options.label, secret: options.apiKey, model: provider.chatModel(options.modelName) });
}
