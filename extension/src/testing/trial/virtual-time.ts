// A clock that is as far as whatever waits for it wants it to be: hours of waiting cost nothing, and nothing depends on the machine.
//
// All that can go on at a moment has gone on before the next timer rings. So a trial that is played again is the same one.

/** What waits for ever, or longer than anyone would. */
export class NothingHappens extends Error {
  override readonly name = "NothingHappens";
}

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly ring: () => void;
}

/** Rounds without a timer in which something of the machine itself (a digest) may still be under way. */
const PATIENCE = 200;

export async function inVirtualTime<Result>(start: number, longestMs: number, run: () => Promise<Result>): Promise<Result> {
  const real = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout, now: Date.now };
  const timers = new Map<number, Timer>();
  let now = start;
  let order = 0;
  const replaced = {
    setTimeout: (ring: (...args: readonly unknown[]) => void, ms = 0, ...args: readonly unknown[]) => {
      order += 1;
      timers.set(order, { at: now + Math.max(1, Number.isFinite(ms) ? ms : 1), order, ring: () => ring(...args) });
      return order;
    },
    clearTimeout: (id: unknown) => void timers.delete(id as number),
  };
  Object.assign(globalThis, replaced);
  Date.now = () => now;
  try {
    let isOver = false;
    const outcome = run().finally(() => (isOver = true));
    outcome.catch(() => {});
    let idle = 0;
    for (;;) {
      await round();
      if (isOver) return await outcome;
      const next = first(timers);
      if (next === null) {
        idle += 1;
        if (idle > PATIENCE) throw new NothingHappens("nothing is under way, and nothing is waited for");
        continue;
      }
      idle = 0;
      if (next.at - start > longestMs) throw new NothingHappens(`it is not over after ${Math.round(longestMs / 60_000)} minutes`);
      now = Math.max(now, next.at);
      timers.delete(next.order);
      next.ring();
    }
  } finally {
    Object.assign(globalThis, { setTimeout: real.setTimeout, clearTimeout: real.clearTimeout });
    Date.now = real.now;
  }
}

/** Resolves when all that could go on has gone on. Where a page runs it, a message to itself stands behind everything that is due. */
const round: () => Promise<void> = typeof globalThis.setImmediate === "function" ? nodeRound : pageRound;

function nodeRound(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

function pageRound(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener("message", () => (port1.close(), resolve()), { once: true });
    port1.start();
    port2.postMessage(null);
  });
}

function first(timers: ReadonlyMap<number, Timer>): Timer | null {
  let soonest: Timer | null = null;
  for (const timer of timers.values()) if (soonest === null || timer.at < soonest.at || (timer.at === soonest.at && timer.order < soonest.order)) soonest = timer;
  return soonest;
}
