/** Whether a write failed because the browser has no room for it. A store wraps that: as its cause, its inner error, or one of many. */
export function isDiskFull(error: unknown, depth = 4): boolean {
  if (!(error instanceof Error) || depth === 0) return false;
  if (error.name === "QuotaExceededError") return true;
  const { inner, failures } = error as { inner?: unknown; failures?: unknown };
  const within = [error.cause, inner, ...(Array.isArray(failures) ? failures : [])];
  return within.some((other) => isDiskFull(other, depth - 1));
}
