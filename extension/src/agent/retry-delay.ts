// How long to wait before a model is asked again.
import { RETRY_FIRST_MS, RETRY_LAST_MS } from "./limits.ts";

export interface RetryWaits {
  readonly retryFirstMs: number;
  readonly retryLastMs: number;
}

const USUAL: RetryWaits = { retryFirstMs: RETRY_FIRST_MS, retryLastMs: RETRY_LAST_MS };

/** What the server asks for, else exponential with full jitter. `attempt` counts from 1. */
export function retryDelay(attempt: number, retryAfterMs: number | null, random: number, { retryFirstMs, retryLastMs }: RetryWaits = USUAL): number {
  if (retryAfterMs !== null) return retryAfterMs;
  return Math.round(Math.min(retryLastMs, retryFirstMs * 2 ** (attempt - 1)) * random);
}
