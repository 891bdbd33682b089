// One writer per session: a Web Lock, held as long as the session is loaded. It ends with its context, however that ends.

/** Null: someone else holds it. */
export function lockSession(session: string): Promise<(() => void) | null> {
  return new Promise((resolve, reject) => {
    navigator.locks
      .request(`outrigger.session.${session}`, { ifAvailable: true }, (lock) => {
        if (lock === null) {
          resolve(null);
          return undefined;
        }
        return new Promise<void>((release) => {
          resolve(release);
        });
      })
      .catch(reject);
  });
}
