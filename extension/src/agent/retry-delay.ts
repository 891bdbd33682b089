// How long to wait before a model is asked again.
import { RETRY_FIRST_MS, RETRY_LAST_MS } from "./limits.ts";

/** What the server asks for, else exponential with full jitter. `attempt` counts from 1. */
export function retryDelay(attempt: number, retryAfterMs: number | null, random: number): number {
  if (retryAfterMs !== null) return retryAfterMs;
  return Math.round(Math.min(RETRY_LAST_MS, RETRY_FIRST_MS * 2 ** (attempt - 1)) * random);
}
