// Which kinds of models there are. Adding one: an adapter file, and a row here.
import { anthropicModel } from "./anthropic.ts";
import { browserModel } from "./browser-model.ts";
import { TAKES_TEXT, TAKES_UNKNOWN, type ModelTakes } from "./model-facts.ts";
import { googleModel } from "./google.ts";
import type { Model } from "./model.ts";
import { openAiModel } from "./openai.ts";
import { openAiCompatibleModel } from "./openai-compatible.ts";
import { withTextTools } from "./text-tools.ts";

export interface ProviderOptions {
  readonly label: string;
  readonly baseUrl: string;
  readonly modelName: string;
  readonly apiKey: string | null;
  readonly fetch?: typeof fetch;
}

const TAKES_ALL: ModelTakes = { images: true, pdfs: true };

export const PROVIDERS = {
  openai_compatible: { baseUrl: null, needsKey: false, make: openAiCompatibleModel, takes: TAKES_UNKNOWN },
  openai: { baseUrl: "https://api.openai.com/v1", needsKey: true, make: openAiModel, takes: TAKES_ALL },
  anthropic: { baseUrl: "https://api.anthropic.com/v1", needsKey: true, make: anthropicModel, takes: TAKES_ALL },
  google: { baseUrl: "https://generativelanguage.googleapis.com/v1beta", needsKey: true, make: googleModel, takes: TAKES_ALL },
  browser: { baseUrl: null, needsKey: false, make: browserModel, takes: TAKES_TEXT },
} as const;

export type ProviderKind = keyof typeof PROVIDERS;

export function isProviderKind(value: unknown): value is ProviderKind {
  return typeof value === "string" && Object.hasOwn(PROVIDERS, value);
}

/** `textTools`: the model has no calls of its own; it is told to write them. */
export function makeModel(kind: ProviderKind, options: ProviderOptions, textTools: boolean): Model {
  const model = PROVIDERS[kind].make(options);
  return textTools ? withTextTools(model) : model;
}
