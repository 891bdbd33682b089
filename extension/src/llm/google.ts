// Google's Gemini API.
import { createGoogle } from "@ai-sdk/google";
import { modelFetch } from "./model-fetch.ts";
import type { Model } from "./model.ts";
import type { ProviderOptions } from "./providers.ts";
import { sdkModel } from "./sdk-model.ts";

export function googleModel({ label, baseUrl, modelName, apiKey, fetch }: ProviderOptions): Model {
  const provider = createGoogle({ baseURL: baseUrl.replace(/\/+$/, ""), apiKey: apiKey ?? "", fetch: modelFetch(label, apiKey, fetch) });
  return sdkModel({ label, secret: apiKey, model: provider(modelName), providerOptions: { google: { thinkingConfig: { includeThoughts: true } } } });
}
