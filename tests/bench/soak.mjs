// Twelve hours of work, with a clock that is moved on between two turns: what the engine keeps must not grow for ever.
//
// Twenty sessions an hour, each reading two large files, under the smallest retention there is. After each hour the retention has
// run, the garbage is collected, and heap and store are measured. The last quarter of the hours counts.
import { sleep, waitUntil } from "../e2e/lib/wait.mjs";

const SESSIONS_AN_HOUR = 20;
const HOUR_MS = 3_600_000;

export async function soak({ stage, driver, answer, figure, hours }) {
  answer((asked) => {
    const done = asked.messages.filter((message) => message.role === "tool").length;
    return done === 0 ? { text: "I read.", calls: [0, 1].map((place) => ({ id: `r${place}`, name: "fs_read", args: { path: "big.txt" } })), chunkMs: 0, piece: 64 } : { text: "Read.", chunkMs: 0 };
  });
  await driver.send("saveSettings", { change: { retentionMiB: 16, notifyDone: false, notifyWaiting: false } });
  const worker = await (await stage.chromium.worker()).worker();
  await worker.evaluate(() => {
    const real = Date.now.bind(Date);
    globalThis.outriggerOffset ??= 0;
    Date.now = () => real() + globalThis.outriggerOffset;
  });
  const hourly = [];
  for (let hour = 1; hour <= hours; hour += 1) {
    for (let round = 0; round < SESSIONS_AN_HOUR; round += 1) {
      const { session } = await driver.send("startSession", { text: `hour ${hour}, session ${round}` });
      await ended(driver, session);
      await worker.evaluate((ms) => (globalThis.outriggerOffset += ms), HOUR_MS / SESSIONS_AN_HOUR);
    }
    await driver.send("cleanNow", {});
    const { sessionBytes, sessions } = await driver.send("storageUse", {});
    // What was deleted the browser clears away when it has time: in real hours it has.
    const isMeasured = hour === Math.floor(hours * 0.75) || hour === hours;
    const usedBytes = await tidied(driver, isMeasured ? 45_000 : 0);
    await worker.client.send("HeapProfiler.collectGarbage").catch(() => {});
    const { usedSize } = await worker.client.send("Runtime.getHeapUsage");
    const { bytes: storedBytes, rows } = await driver.page.evaluate(allThatIsStored);
    hourly.push({ hour, heap: usedSize, sessionBytes, storedBytes, rows, usedBytes, sessions });
    console.log(`       hour ${String(hour).padStart(2)}: heap ${(usedSize / 1_048_576).toFixed(2)} MiB, sessions ${(sessionBytes / 1_048_576).toFixed(2)} MiB in ${sessions}, ${rows} rows of ${(storedBytes / 1_048_576).toFixed(2)} MiB, IndexedDB ${(usedBytes / 1_048_576).toFixed(2)} MiB`);
  }
  const from = hourly[Math.floor(hours * 0.75) - 1];
  const to = hourly.at(-1);
  const anHour = (name) => ((to[name] - from[name]) / from[name] / (to.hour - from.hour)) * 100;
  figure("soak: heap, growth an hour over the last quarter", anHour("heap"), "%", 1);
  figure("soak: sessions, growth an hour over the last quarter", anHour("sessionBytes"), "%", 1);
  figure("soak: rows of IndexedDB, growth an hour over the last quarter", anHour("rows"), "%", 1);
  figure("soak: every row of IndexedDB, growth an hour over the last quarter", anHour("storedBytes"), "%", 1);
  // With what it has not cleared away yet: that swings with its compaction, up and down.
  figure("soak: IndexedDB as the browser counts it", anHour("usedBytes"), "%");
}

/** In the page: how many rows all stores have, and their bytes as JSON has them. */
function allThatIsStored() {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open("outrigger");
    opening.addEventListener("error", () => reject(opening.error));
    opening.addEventListener("success", () => {
      const database = opening.result;
      const stores = [...database.objectStoreNames];
      const reading = database.transaction(stores);
      let bytes = 0;
      let rows = 0;
      for (const name of stores) {
        reading.objectStore(name).openCursor().addEventListener("success", ({ target }) => {
          const cursor = target.result;
          if (cursor === null) return;
          bytes += JSON.stringify(cursor.value).length;
          rows += 1;
          cursor.continue();
        });
      }
      reading.addEventListener("complete", () => (database.close(), resolve({ bytes, rows })));
      reading.addEventListener("error", () => reject(reading.error));
    });
  });
}

/** The least that the browser counts within this time. */
async function tidied(driver, patienceMs) {
  let least = Number.POSITIVE_INFINITY;
  for (const end = Date.now() + patienceMs; ; await sleep(3_000)) {
    least = Math.min(least, (await driver.send("storageUse", {})).usedBytes);
    if (Date.now() >= end) return least;
  }
}

/** By the port, not by reading the store: that would be the work of a panel. */
function ended(driver, session) {
  return waitUntil("the end of the turn", () =>
    driver.page.evaluate(
      (id) =>
        new Promise((resolve) => {
          const port = chrome.runtime.connect({ name: "outrigger.panel.v1" });
          const stop = (isOver) => (port.disconnect(), resolve(isOver));
          const timer = setTimeout(() => stop(false), 20_000);
          port.onMessage.addListener((message) => {
            if (message.kind === "events" && message.events.some(({ event }) => event.type === "TurnEnd")) (clearTimeout(timer), stop(true));
          });
          port.postMessage({ kind: "subscribe", session: id, after: 0 });
        }),
      session,
    ),
  );
}
