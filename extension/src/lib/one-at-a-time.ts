/**
 * Runs one at a time, so that what is told last is what is known last. Whoever asks while one runs gets the end of the next one, which
 * has seen what they had changed; all who ask meanwhile share it.
 */
export function oneAtATime<T>(run: () => Promise<T>): () => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | null = null;
  return () => {
    if (next !== null) return next;
    const mine = last.then(() => {
      next = null;
      return run();
    });
    next = mine;
    last = mine.catch(() => {});
    return mine;
  };
}
