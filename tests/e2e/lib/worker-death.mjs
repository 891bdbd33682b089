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
    let isDue = false;
    const { transaction } = IDBDatabase.prototype;
    const { add } = IDBObjectStore.prototype;
    IDBDatabase.prototype.transaction = function patched(...args) {
      const made = transaction.apply(this, args);
      // The first listener: the extension's own hears of the end after this one, which is never.
      made.addEventListener("complete", () => {
        if (isDue) for (;;) count += 0;
      });
      return made;
    };
    IDBObjectStore.prototype.add = function patched(...args) {
      const request = add.apply(this, args);
      if (this.name === "events") {
        count += 1;
        if (count >= wanted) isDue = true;
      }
      return request;
    };
  }, at);
}
