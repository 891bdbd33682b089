// Waiting for a condition, with a message that says what was waited for and what was there instead.

export function sleep(ms) {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** What a promise comes to, or null after so long; no timer is left behind, which would keep a test's process for its time. */
export async function within(ms, promise) {
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, ms, null);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Calls `look` until it gives a truthy value. `describe` words the state at the end of patience. */
export async function waitUntil(what, look, { timeoutMs = 60_000, everyMs = 100, describe = null } = {}) {
  const end = Date.now() + timeoutMs;
  let failure = null;
  while (Date.now() < end) {
    try {
      const value = await look();
      if (value) return value;
      failure = null;
    } catch (error) {
      failure = error;
    }
    await sleep(everyMs);
  }
  const state = describe === null ? "" : `; there was: ${await Promise.resolve().then(describe).catch((error) => String(error))}`;
  throw new Error(`waited ${timeoutMs / 1000} s for ${what}${failure === null ? "" : ` (${failure.message})`}${state}`);
}
