// Anthropic's Messages API. The beginning of a prompt, which stays the same from step to step, is marked for its cache.
import { createAnthropic } from "@ai-sdk/anthropic";
import { modelFetch } from "./model-fetch.ts";
import type { Model } from "./model.ts";
import type { ProviderOptions } from "./providers.ts";
import { sdkModel } from "./sdk-model.ts";

export function anthropicModel({ label, baseUrl, modelName, apiKey, fetch }: ProviderOptions): Model {
  const provider = createAnthropic({
    baseURL: baseUrl.replace(/\/+$/, ""),
    apiKey: apiKey ?? "",
    // It refuses pages that have not thought about who sees the key; here only the extension's own background does.
    headers: { "anthropic-dangerous-direct-browser-access": "true" },
    fetch: modelFetch(label, apiKey, fetch),
  });
  return sdkModel({ label, secret: apiKey, model: provider.messages(modelName), plainIds: true, providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } });
}
