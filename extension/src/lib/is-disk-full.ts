/** Whether a write failed because the browser has no room for it. A store wraps that: as its cause, its inner error, or one of many. */
export function isDiskFull(error: unknown, depth = 4): boolean {
  if (!(error instanceof Error) || depth === 0) return false;
  if (error.name === "QuotaExceededError" || isGivenUp(error)) return true;
  const { inner, failures } = error as { inner?: unknown; failures?: unknown };
  const within = [error.cause, inner, ...(Array.isArray(failures) ? failures : [])];
  return within.some((other) => isDiskFull(other, depth - 1));
}

/** Where the browser has another word for it: Chromium's, as it shuts the store; Firefox's, as the next part of a write comes that it gave up. */
function isGivenUp({ name, message }: Error): boolean {
  return message.includes("FILE_ERROR_NO_SPACE") || (name === "InvalidStateError" && message.includes("database that did not allow mutations"));
}
