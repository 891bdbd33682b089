// One writer per session: a Web Lock, held as long as the session is loaded. It ends with its context, however that ends.

/** A context that was ended a moment ago still holds its locks: without a word of patience its work would lie until somebody opens it. */
const PATIENCE_MS = 2_000;

/** Null: someone else holds it. */
export function lockSession(session: string, patienceMs = PATIENCE_MS): Promise<(() => void) | null> {
  return new Promise((resolve, reject) => {
    navigator.locks
      .request(`outrigger.session.${session}`, { signal: AbortSignal.timeout(patienceMs) }, () => {
        return new Promise<void>((release) => {
          resolve(release);
        });
      })
      .catch((error: unknown) => (error instanceof DOMException && (error.name === "TimeoutError" || error.name === "AbortError") ? resolve(null) : reject(error)));
  });
}
