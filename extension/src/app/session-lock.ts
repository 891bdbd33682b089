// One writer per session: a Web Lock, held as long as the session is loaded. It ends with its context, however that ends.
//
// There is no lease row beside it, and none is needed. The lock keeps a second engine from loading a session at all, so that nothing is
// asked of a provider twice; a lease would add a time in which the work of an engine that died lies there. Where a lock fails all the
// same, the log itself is the fence: an event's sequence number is a key (`SequenceTaken` in `storage/storage.ts`), written in one
// transaction with the session's row before the effect it allows. Of two engines one writes it; the other's write fails whole, and its
// loop ends there, before it asked anyone for anything. `two-engines.test.ts` shows both, in Node and in both browsers.

/** A context that was ended a moment ago still holds its locks: without a word of patience its work would lie until somebody opens it. */
const PATIENCE_MS = 2_000;

/** Resolves as soon as nobody holds it, however long that takes; another may be quicker to take it then. */
export async function sessionFree(session: string): Promise<void> {
  await navigator.locks.request(nameOf(session), () => {});
}

/** Null: someone else holds it. */
export function lockSession(session: string, patienceMs = PATIENCE_MS): Promise<(() => void) | null> {
  return new Promise((resolve, reject) => {
    navigator.locks
      .request(nameOf(session), { signal: AbortSignal.timeout(patienceMs) }, () => {
        return new Promise<void>((release) => {
          resolve(release);
        });
      })
      .catch((error: unknown) => (error instanceof DOMException && (error.name === "TimeoutError" || error.name === "AbortError") ? resolve(null) : reject(error)));
  });
}

function nameOf(session: string): string {
  return `outrigger.session.${session}`;
}
