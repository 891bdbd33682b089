// How full a model's window is: our estimate, corrected by what the provider counted, by class. Pure.
import { estimateTokens } from "../lib/estimate-tokens.ts";
import type { PromptMessage, ToolDefinition } from "../llm/model.ts";
import { buildMessages } from "./context.ts";
import type { PromptEstimate } from "./events.ts";
import { CONTEXT_FULL, CONTEXT_WARNING } from "./limits.ts";
import type { SessionLog, StepLog } from "./log.ts";

export type ContextClass = "system" | "tools" | "user" | "assistant" | "tool_results" | "attachments" | "page_content";

const CLASSES: readonly ContextClass[] = ["system", "tools", "user", "assistant", "tool_results", "attachments", "page_content"];

export interface ContextMeter {
  /** What the next request would hold, as far as it is known. */
  readonly tokens: number;
  readonly classes: readonly { readonly name: ContextClass; readonly tokens: number }[];
  /** Null: unknown, and then there is no share. */
  readonly window: number | null;
  readonly share: number | null;
  readonly level: "ok" | "warning" | "danger";
}

/** Steps looked back at for the correction: enough to even out, few enough to follow a change of model. */
export const CORRECTED_BY = 6;

/** Further off is no correction but a mistake of someone's. */
const FURTHEST = 4;

export function meterOf(log: SessionLog): ContextMeter {
  const last = lastEstimated(log);
  const factor = correction(log);
  const raw: Record<ContextClass, number> = { system: last?.estimate?.system ?? 0, tools: last?.estimate?.tools ?? 0, ...messageTokens(buildMessages(log)) };
  const classes = CLASSES.map((name) => ({ name, tokens: Math.round(raw[name] * factor) }));
  const tokens = classes.reduce((sum, each) => sum + each.tokens, 0);
  const window = log.turns.at(-1)?.limits.window ?? null;
  const share = window === null || window <= 0 ? null : tokens / window;
  return { tokens, classes, window, share, level: share === null || share < CONTEXT_WARNING ? "ok" : share < CONTEXT_FULL ? "warning" : "danger" };
}

export function estimatePrompt(system: string, tools: readonly ToolDefinition[], messages: readonly PromptMessage[]): PromptEstimate {
  const sums = messageTokens(messages);
  return {
    system: estimateTokens(system),
    tools: tools.reduce((sum, tool) => sum + estimateTokens(`${tool.name}${tool.description}${JSON.stringify(tool.parameters)}`), 0),
    messages: Object.values(sums).reduce((sum, tokens) => sum + tokens, 0),
  };
}

/** What the provider counted for one token of ours, over the last answers of this model; before its first one here, as other sessions found. */
export function correction(log: SessionLog): number {
  const model = log.turns.at(-1)?.config.model;
  const steps = log.turns.filter((turn) => turn.config.model === model).flatMap((turn) => turn.steps).filter((step) => countOf(step) !== null).slice(-CORRECTED_BY);
  const counted = steps.flatMap((step) => countOf(step) ?? []);
  const ours = counted.reduce((sum, count) => sum + count.ours, 0);
  const theirs = counted.reduce((sum, count) => sum + count.theirs, 0);
  const factor = ours === 0 || theirs === 0 ? (log.turns.at(-1)?.limits.tokenFactor ?? 1) : theirs / ours;
  return Math.min(FURTHEST, Math.max(1 / FURTHEST, factor));
}

/** Null: the provider did not tell. */
export function countOf({ estimate, usage }: StepLog): { readonly ours: number; readonly theirs: number } | null {
  if (estimate === null || usage === null || usage.inputTokens === null) return null;
  return { ours: estimate.system + estimate.tools + estimate.messages, theirs: usage.inputTokens };
}

function lastEstimated(log: SessionLog): StepLog | undefined {
  return log.turns.flatMap((turn) => turn.steps).findLast((step) => step.estimate !== null);
}

const counted = new Map<string, number>();
const COUNTED_MOST = 4_000;

/** Long texts come again in each prompt; counting them once is enough. */
function tokensOf(text: string): number {
  if (text.length < 500) return estimateTokens(text);
  const known = counted.get(text);
  if (known !== undefined) return known;
  if (counted.size >= COUNTED_MOST) counted.clear();
  const tokens = estimateTokens(text);
  counted.set(text, tokens);
  return tokens;
}

type MessageTokens = Record<Exclude<ContextClass, "system" | "tools">, number>;

/** A stub of an attachment is a line. */
const STUB_TOKENS = 30;

function messageTokens(messages: readonly PromptMessage[]): MessageTokens {
  const sums: MessageTokens = { user: 0, assistant: 0, tool_results: 0, attachments: 0, page_content: 0 };
  for (const message of messages) {
    if (message.role === "user") {
      sums.user += tokensOf(message.text);
      for (const { attachment, isLeftOut } of message.files ?? []) sums[attachment.source === null ? "attachments" : "page_content"] += isLeftOut ? STUB_TOKENS : attachment.tokens;
    } else if (message.role === "tool") sums[message.isPage === true ? "page_content" : "tool_results"] += tokensOf(message.text);
    else sums.assistant += tokensOf(message.text) + message.calls.reduce((sum, call) => sum + tokensOf(call.argsText) + tokensOf(call.tool), 0);
  }
  return sums;
}
