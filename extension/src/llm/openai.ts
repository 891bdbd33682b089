// OpenAI's own API, by its Responses. Nothing is stored there: reasoning comes encrypted and goes back with the next request.
import { createOpenAI } from "@ai-sdk/openai";
import { modelFetch } from "./model-fetch.ts";
import type { Model } from "./model.ts";
import type { ProviderOptions } from "./providers.ts";
import { sdkModel } from "./sdk-model.ts";

export function openAiModel({ label, baseUrl, modelName, apiKey, fetch }: ProviderOptions): Model {
  const provider = createOpenAI({ baseURL: baseUrl.replace(/\/+$/, ""), apiKey: apiKey ?? "", fetch: modelFetch(label, apiKey, fetch) });
  return sdkModel({ label, secret: apiKey, model: provider.responses(modelName), plainIds: true, providerOptions: { openai: { store: false, include: ["reasoning.encrypted_content"] } } });
}
