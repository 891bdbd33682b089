// What one request to a model took and where the time went. Kept in a bounded ring; also of a request that never got an answer.

export interface Trace {
  readonly session: string;
  readonly step: string;
  readonly model: string;
  readonly at: number;
  /** The provider's own id of the request, for their support. */
  readonly requestId: string | null;
  /** From the step's start until the request left: the host and the prompt. */
  readonly queueMs: number;
  /** Of that, the part in which the host was waited for and asked. Left out in traces of before it was measured. */
  readonly hostMs?: number;
  /** What the calls of the step before took, by the host's own measure, where it is known. */
  readonly toolsMs?: number | null;
  /** Null: nothing came, or who measured it is gone. */
  readonly firstTokenMs: number | null;
  readonly totalMs: number;
  readonly tokensPerSecond: number | null;
  readonly outcome: "answered" | "failed" | "cancelled";
  /** The fault's code, of one that failed. */
  readonly code: string | null;
}

/** Enough for a day's work; a ring, so that it never grows. */
export const TRACES_KEPT = 300;
