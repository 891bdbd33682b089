// What events cost, for the sums of a day: each request to a model once, written with its event. Pure.
import { localDay } from "../lib/local-day.ts";
import type { UsageRow } from "../storage/storage.ts";
import type { StoredEvent, Usage } from "./events.ts";
import type { SessionLog } from "./log.ts";

export function spentBy(log: SessionLog, events: readonly StoredEvent[]): readonly UsageRow[] {
  return events.flatMap(({ event, at }) => {
    if (event.type !== "AssistantDone" && event.type !== "Compacted" && (event.type !== "CompactFailed" || event.usage === undefined)) return [];
    const turn = log.turns.at(-1);
    const by = "model" in event ? event.model : undefined;
    return [rowOf(localDay(at), by?.id ?? turn?.config.model ?? log.config.model, by?.label ?? turn?.modelLabel ?? "", event.usage ?? null, event.costUsd ?? null)];
  });
}

function rowOf(day: string, model: string, label: string, usage: Usage | null, costUsd: number | null): UsageRow {
  return {
    day,
    model,
    label: label === "" ? model : label,
    requests: 1,
    inputTokens: usage?.inputTokens ?? 0,
    outputTokens: usage?.outputTokens ?? 0,
    cachedInputTokens: usage?.cachedInputTokens ?? 0,
    cacheWriteTokens: usage?.cacheWriteTokens ?? 0,
    reasoningTokens: usage?.reasoningTokens ?? 0,
    costUsd: costUsd ?? 0,
    unpriced: costUsd === null ? 1 : 0,
  };
}
