// What is known of models by their names: windows, output limits, prices. Shipped as data, and a person can change each row.
//
// A model that fits no row is unknown: no percentage is shown for it and its tokens have no price, which is not 0.
import type { Usage } from "../wire/events.ts";

export interface ModelFactsRow {
  /** Matched against the end of the model's name, without its version date; the longest that fits counts. */
  readonly name: string;
  readonly window: number | null;
  readonly output: number | null;
  /** US dollars for a million tokens. Null: unknown. */
  readonly inputUsd: number | null;
  readonly outputUsd: number | null;
  readonly cacheReadUsd: number | null;
  readonly cacheWriteUsd: number | null;
  /** What all tokens of a request cost whose prompt is longer than that. */
  readonly long?: LongPrompt;
}

export interface LongPrompt {
  readonly above: number;
  readonly inputUsd: number | null;
  readonly outputUsd: number | null;
  readonly cacheReadUsd: number | null;
  readonly cacheWriteUsd: number | null;
}

/** OpenAI's list is for prompts below that; what longer ones cost was not found. */
const UNKNOWN_ABOVE_270K: LongPrompt = { above: 270_000, inputUsd: null, outputUsd: null, cacheReadUsd: null, cacheWriteUsd: null };

/** Null: not known, and tried. */
export interface ModelTakes {
  readonly images: boolean | null;
  readonly pdfs: boolean | null;
}

export const TAKES_UNKNOWN: ModelTakes = { images: null, pdfs: null };
export const TAKES_TEXT: ModelTakes = { images: false, pdfs: false };

export interface ModelFacts {
  readonly window: number | null;
  readonly output: number | null;
  /** Null where a price is missing that this usage needs. */
  readonly price: ((usage: Usage | null) => number | null) | null;
  readonly takes: ModelTakes;
  /** As its provider calls it; left out where there is none. */
  readonly name?: string;
}

export const UNKNOWN_FACTS: ModelFacts = { window: null, output: null, price: null, takes: TAKES_UNKNOWN };

/**
 * List prices as their makers published them; whoever pays others corrects the row. A row holds for the plain tier of the API.
 *
 * Anthropic: platform.claude.com/docs/en/about-claude/pricing and the pages of the models, read in November 2026.
 * OpenAI: its pricing page as it was told in June (5.5, 5.4) and in the second quarter of 2026 (5); older rows as they were published.
 * Google: ai.google.dev/gemini-api/docs/pricing as it was told in 2026. What was not found there is unknown.
 */
export const SHIPPED_FACTS: readonly ModelFactsRow[] = [
  row("gpt-5.5", 1_000_000, null, 5, 30, 0.5, null, UNKNOWN_ABOVE_270K),
  row("gpt-5.4", 1_000_000, null, 2.5, 15, 0.25, null, UNKNOWN_ABOVE_270K),
  row("gpt-5.4-mini", null, null, 0.75, 4.5, 0.075, null, UNKNOWN_ABOVE_270K),
  row("gpt-5.4-nano", null, null, 0.2, 1.25, 0.02, null, UNKNOWN_ABOVE_270K),
  row("gpt-5.1", 400_000, 128_000, 1.25, 10, 0.125, null),
  row("gpt-5", 400_000, 128_000, 1.25, 10, 0.125, null),
  row("gpt-5-mini", 400_000, 128_000, 0.25, 2, 0.025, null),
  row("gpt-5-nano", 400_000, 128_000, 0.05, 0.4, 0.005, null),
  row("gpt-4.1", 1_047_576, 32_768, 2, 8, 0.5, null),
  row("gpt-4.1-mini", 1_047_576, 32_768, 0.4, 1.6, 0.1, null),
  row("gpt-4.1-nano", 1_047_576, 32_768, 0.1, 0.4, 0.025, null),
  row("gpt-4o", 128_000, 16_384, 2.5, 10, 1.25, null),
  row("gpt-4o-mini", 128_000, 16_384, 0.15, 0.6, 0.075, null),
  row("o3", 200_000, 100_000, 2, 8, 0.5, null),
  row("o4-mini", 200_000, 100_000, 1.1, 4.4, 0.275, null),
  row("claude-fable-5-1", 1_000_000, 128_000, 10, 50, 0.25, 12.5),
  row("claude-fable-5", 1_000_000, 128_000, 10, 50, 1, 12.5),
  row("claude-opus-5-5", 1_000_000, 128_000, 4, 20, 0.2, 5),
  row("claude-opus-5", 1_000_000, 128_000, 5, 25, 0.5, 6.25),
  row("claude-sonnet-5-5", 1_000_000, 128_000, 2, 10, 0.1, 2.5),
  row("claude-sonnet-5", 1_000_000, 128_000, 2, 10, 0.2, 2.5),
  row("claude-haiku-5-5", 1_000_000, 128_000, 0.1, 0.5, 0.01, 0.125, { above: 100_000, inputUsd: 0.5, outputUsd: 2.5, cacheReadUsd: 0.05, cacheWriteUsd: 0.625 }),
  row("claude-opus-4-8", null, null, 5, 25, 0.5, 6.25),
  row("claude-opus-4-7", null, null, 5, 25, 0.5, 6.25),
  row("claude-opus-4-6", null, null, 5, 25, 0.5, 6.25),
  row("claude-opus-4-5", 200_000, 64_000, 5, 25, 0.5, 6.25),
  row("claude-sonnet-4-6", null, null, 3, 15, 0.3, 3.75),
  row("claude-sonnet-4-5", 200_000, 64_000, 3, 15, 0.3, 3.75),
  row("claude-haiku-4-5", 200_000, 64_000, 1, 5, 0.1, 1.25),
  row("claude-sonnet-4", 200_000, 64_000, 3, 15, 0.3, 3.75),
  row("claude-opus-4-1", 200_000, 32_000, 15, 75, 1.5, 18.75),
  row("claude-opus-4", 200_000, 32_000, 15, 75, 1.5, 18.75),
  row("claude-3-7-sonnet", 200_000, 64_000, 3, 15, 0.3, 3.75),
  row("claude-3-5-haiku", 200_000, 8_192, 0.8, 4, 0.08, 1),
  row("gemini-3.5-flash", null, null, 1.5, 9, null, null),
  row("gemini-3.1-pro", null, null, 2, 12, null, null, { above: 200_000, inputUsd: 4, outputUsd: null, cacheReadUsd: null, cacheWriteUsd: null }),
  row("gemini-3.1-flash-lite", null, null, 0.25, 1.5, null, null),
  row("gemini-3-pro", 1_048_576, 65_536, 2, 12, null, null, { above: 200_000, inputUsd: 4, outputUsd: 18, cacheReadUsd: null, cacheWriteUsd: null }),
  row("gemini-3-flash", 1_048_576, 65_536, 0.5, 3, null, null),
  row("gemini-2.5-pro", 1_048_576, 65_536, 1.25, 10, null, null, { above: 200_000, inputUsd: 2.5, outputUsd: 15, cacheReadUsd: null, cacheWriteUsd: null }),
  row("gemini-2.5-flash", 1_048_576, 65_536, 0.3, 2.5, null, null),
  row("gemini-2.5-flash-lite", 1_048_576, 65_536, 0.1, 0.4, null, null),
];

export function factsOf(modelName: string, own: readonly ModelFactsRow[], takes: ModelTakes = TAKES_UNKNOWN, shipped: readonly ModelFactsRow[] = SHIPPED_FACTS): ModelFacts {
  const found = nearest(modelName, own) ?? nearest(modelName, shipped);
  if (found === null) return { ...UNKNOWN_FACTS, takes, name: modelName };
  return { window: found.window, output: found.output, takes, name: modelName, price: found.inputUsd === null || found.outputUsd === null ? null : (usage) => priceOf(found, usage) };
}

function nearest(modelName: string, rows: readonly ModelFactsRow[]): ModelFactsRow | null {
  const name = plain(modelName);
  return rows.find((each) => plain(each.name) === name) ?? null;
}

/** Without its date: `openrouter/anthropic/claude-sonnet-4-20250514` is `claude-sonnet-4`; `claude-opus-4.5`, as resellers write it, is `claude-opus-4-5`; `gpt-4o:free` is another thing and stays itself. */
function plain(name: string): string {
  return (name.toLowerCase().split("/").at(-1) ?? "").replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest|preview)$/, "").replace(/^(claude-.*\d)\.(?=\d)/, "$1-");
}

function priceOf(found: ModelFactsRow, usage: Usage | null): number | null {
  if (usage === null || usage.inputTokens === null || usage.outputTokens === null) return null;
  const prices = found.long !== undefined && usage.inputTokens > found.long.above ? found.long : found;
  if (prices.inputUsd === null || prices.outputUsd === null) return null;
  const read = usage.cachedInputTokens ?? 0;
  const written = usage.cacheWriteTokens ?? 0;
  const fresh = Math.max(0, usage.inputTokens - read - written);
  // An unknown cache price is paid as what it is at most: an ordinary token.
  const input = prices.inputUsd;
  return (fresh * input + read * (prices.cacheReadUsd ?? input) + written * (prices.cacheWriteUsd ?? input) + usage.outputTokens * prices.outputUsd) / 1_000_000;
}

export function readFacts(value: unknown): readonly ModelFactsRow[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((entry: unknown) => {
    if (typeof entry !== "object" || entry === null || !("name" in entry) || typeof entry.name !== "string" || entry.name.trim() === "") return [];
    const number = (key: string) => {
      const found: unknown = Reflect.get(entry, key);
      return typeof found === "number" && Number.isFinite(found) && found >= 0 ? found : null;
    };
    return [row(entry.name.trim(), number("window"), number("output"), number("inputUsd"), number("outputUsd"), number("cacheReadUsd"), number("cacheWriteUsd"))];
  });
}

function row(name: string, window: number | null, output: number | null, inputUsd: number | null, outputUsd: number | null, cacheReadUsd: number | null, cacheWriteUsd: number | null, long?: LongPrompt): ModelFactsRow {
  return { name, window, output, inputUsd, outputUsd, cacheReadUsd, cacheWriteUsd, ...(long === undefined ? {} : { long }) };
}
