/** Whether a write failed because the browser has no room for it. A store wraps that: as its cause, its inner error, or one of many. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === "QuotaExceededError") return true;
  const { inner, failures } = error as { inner?: unknown; failures?: unknown };
  const within = [error.cause, inner, ...(Array.isArray(failures) ? failures : [])];
  return within.some((other) => other !== error && isDiskFull(other));
}
