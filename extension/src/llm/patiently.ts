// A stream that says nothing for too long is ended, so that nothing waits for ever.

/** `silent` ends what is waited for, and says in words what was wrong. */
export async function* patiently<Part>(parts: AsyncIterable<Part>, patienceMs: number, silent: () => Error): AsyncIterable<Part> {
  const iterator = parts[Symbol.asyncIterator]();
  try {
    for (;;) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const silence = new Promise<never>((_resolve, reject) => {
        timer = setTimeout(() => reject(silent()), patienceMs);
      });
      const next = await Promise.race([iterator.next(), silence]).finally(() => clearTimeout(timer));
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    // Not waited for: what says nothing may not end either.
    iterator.return?.().catch(() => {});
  }
}
