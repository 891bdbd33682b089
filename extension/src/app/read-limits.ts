// The caps, retries and timeouts a person sets, taken only where they make sense.
import type { TurnLimits } from "../agent/events.ts";

/** Longer than any retry or pause that still means anything. */
const MOST_RETRIES = 20;
const LONGEST_WAIT_MS = 60 * 60_000;

export function readLimits(value: unknown): TurnLimits {
  if (typeof value !== "object" || value === null) return {};
  const { steps, costUsd, minutes, retries, retryFirstMs, retryLastMs, toolTimeoutsMs } = value as Record<keyof TurnLimits, unknown>;
  return {
    ...(isPositive(steps) ? { steps: Math.floor(Math.max(1, steps)) } : {}),
    ...(costUsd === null || isPositive(costUsd) ? { costUsd } : {}),
    ...(minutes === null || isPositive(minutes) ? { minutes } : {}),
    ...(typeof retries === "number" && Number.isFinite(retries) ? { retries: Math.min(MOST_RETRIES, Math.max(0, Math.floor(retries))) } : {}),
    ...(isPositive(retryFirstMs) ? { retryFirstMs: Math.min(LONGEST_WAIT_MS, retryFirstMs) } : {}),
    ...(isPositive(retryLastMs) ? { retryLastMs: Math.min(LONGEST_WAIT_MS, retryLastMs) } : {}),
    ...(typeof toolTimeoutsMs === "object" && toolTimeoutsMs !== null
      ? { toolTimeoutsMs: Object.fromEntries(Object.entries(toolTimeoutsMs).flatMap(([tool, ms]) => (isPositive(ms) ? [[tool, ms]] : []))) }
      : {}),
  };
}

function isPositive(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value > 0;
}
