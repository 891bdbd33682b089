// Stops the background at one exact event: the event is on disk, and nothing that follows from it has begun.
//
// The background's IndexedDB is patched from outside; the extension itself knows nothing of it. Unlike `worker-death.mjs`, which
// lets a worker spin for ever, the background only hears nothing any more, and can be let go on: so that a host can be killed
// while it is at an exact place, and so that a browser whose pages share one thread can still be talked to.

/** Runs in the background, or in a page of the same process with `realm` its window. */
export function freezeAt(wanted, realm = globalThis) {
  realm.outriggerFrozen = { wanted, count: 0, held: [] };
  if (realm.outriggerPatched) return;
  realm.outriggerPatched = true;
  const { add } = realm.IDBObjectStore.prototype;
  realm.IDBObjectStore.prototype.add = function patched(...args) {
    const request = add.apply(this, args);
    const state = realm.outriggerFrozen;
    if (this.name !== "events") return request;
    state.count += 1;
    if (state.count < state.wanted) return request;
    const { transaction } = this;
    // Whoever captures hears first, also of what stands at the target itself: the extension hears of the end later, or never.
    transaction.addEventListener(
      "complete",
      (event) => {
        if (transaction.outriggerThawed) return;
        event.stopImmediatePropagation();
        if (!state.held.includes(transaction)) state.held.push(transaction);
      },
      true,
    );
    return request;
  };
}

/** What was held back is told after all. */
export function thaw(realm = globalThis) {
  const state = realm.outriggerFrozen;
  if (state === undefined) return;
  state.wanted = Number.POSITIVE_INFINITY;
  for (const made of state.held.splice(0)) {
    made.outriggerThawed = true;
    made.dispatchEvent(new realm.Event("complete"));
  }
}

/** The background of Chromium, reached over the debugger. */
export function workerBoundary(chromium) {
  const evaluate = async (source) => {
    const worker = await (await chromium.worker()).worker();
    return worker.evaluate(source);
  };
  return {
    freezeAt: (at) => evaluate(`(${freezeAt})(${at})`),
    isFrozen: () => evaluate("(globalThis.outriggerFrozen?.held.length ?? 0) > 0"),
    thaw: () => evaluate(`(${thaw})()`),
  };
}

/** The background of Firefox, reached from one of the extension's own pages. */
export function pageBoundary(page) {
  const evaluate = (body) => page.evaluate(`(async () => { const realm = await browser.runtime.getBackgroundPage(); ${body} })()`);
  return {
    freezeAt: (at) => evaluate(`(${freezeAt})(${at}, realm);`),
    isFrozen: () => evaluate("return (realm.outriggerFrozen?.held.length ?? 0) > 0;"),
    thaw: () => evaluate(`(${thaw})(realm);`),
  };
}
