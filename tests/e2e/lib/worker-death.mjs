// Lets the background worker die at one exact event: the event is on disk, and nothing that follows from it has begun.
//
// The worker's IndexedDB is patched from outside, over the debugger; the extension itself knows nothing of it.
// When the n-th event's transaction is complete the worker stops for ever, before its own code hears of it, and is then killed.

/** Resolves when the worker is armed. `at` counts events from now. */
export async function armWorker(chromium, at) {
  const target = await chromium.worker();
  const worker = await target.worker();
  await worker.evaluate((wanted) => {
    let count = 0;
    const { add } = IDBObjectStore.prototype;
    IDBObjectStore.prototype.add = function patched(...args) {
      const request = add.apply(this, args);
      if (this.name !== "events") return request;
      count += 1;
      // Whoever captures hears first: the extension's own would hear of the end after this one, which is never.
      if (count === wanted) {
        this.transaction.addEventListener(
          "complete",
          () => {
            for (;;) count += 0;
          },
          true,
        );
      }
      return request;
    };
  }, at);
}
