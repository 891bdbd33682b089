// The store outlives a browser that was killed in the middle of a write; and where it was lost all the same, the panel says so.
//
// What a kill between two writes leaves is put there by hand: the head of a record at the end of LevelDB's log in Chromium, half a
// frame at the end of SQLite's in Firefox. Chromium passes it over at the next start, writes behind it, and deletes everything at the
// start after that (`storage/fresh-log.ts`).
import assert from "node:assert/strict";
import { appendFileSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { UUID } from "./lib/firefox.mjs";
import { Killable } from "./lib/killable.mjs";
import { EXTENSION_ID } from "./lib/places.mjs";
import { Scratch } from "./lib/scratch.mjs";
import { BROWSERS } from "./lib/stage.mjs";

/** Where each browser keeps our database, which of its files is written to at the end, and what half a write looks like there. */
const STORES = {
  chromium: {
    folder: "Default/IndexedDB",
    files: `chrome-extension_${EXTENSION_ID}_0.indexeddb.leveldb`,
    log: /\.log$/,
    // A checksum, a length of 64, the type of a whole record; and nothing of it.
    torn: Buffer.from([0x11, 0x22, 0x33, 0x44, 64, 0, 1]),
    // The same at the end of LevelDB's list of its own files, which nothing in a page can make it begin anew: the start after the next
    // finds nothing. It is written some times a start, where the log is written with each event.
    lose: async (store, runOnce) => {
      appendFileSync(path.join(store, readdirSync(store).find((file) => file.startsWith("MANIFEST"))), STORES.chromium.torn);
      await runOnce();
    },
  },
  firefox: {
    folder: `storage/default/moz-extension+++${UUID}`,
    files: "idb",
    log: /\.sqlite-wal$/,
    // A page's number, the size of the file after it, and the first of two salts.
    torn: Buffer.from([0, 0, 0, 9, 0, 0, 0, 64, 1, 2, 3, 4]),
    // As by a disk that fails.
    lose: async (store) => rmSync(path.dirname(store), { recursive: true }),
  },
};

for (const name of BROWSERS) {
  test(`${name}: a log that was torn by a kill costs nothing, and a lost store is told`, { timeout: 400_000 }, async () => {
    const { folder, files, log, torn, lose } = STORES[name];
    const scratch = new Scratch("outrigger-store");
    const environment = scratch.environment();
    const profile = scratch.make("profile");
    const store = path.join(profile, folder, files);
    let saved = 0;
    let browser = null;
    scratch.atEnd(() => browser?.close());

    /** One run of the browser, ended by force after its work. */
    const run = async (work) => {
      browser = await Killable.launch(name, { profile, environment });
      await work(browser);
      await browser.kill();
      browser = null;
    };
    const save = async ({ driver, state }) => {
      assert.equal(state.models, saved + 1, "everything that was stored is there, and the demo");
      for (let count = 0; count < 3; count += 1) {
        const made = await driver.send("saveModel", { id: null, label: `model ${saved}`, baseUrl: "http://127.0.0.1:9/v1", modelName: "x", apiKey: null });
        assert.equal(made.fault, undefined);
        saved += 1;
      }
    };

    try {
      await run(save);
      for (let round = 0; round < 2; round += 1) {
        const last = readdirSync(store).filter((file) => log.test(file)).toSorted().at(-1);
        assert.ok(last !== undefined, `there is a log to tear among ${readdirSync(store).join()}`);
        appendFileSync(path.join(store, last), torn);
        await run(save);
      }
      await run(save);
      // Lost after all: it never looks like a first start.
      // A busy machine may let Chromium begin another list of its files meanwhile: then nothing was lost, and it is tried again.
      for (let attempt = 0, lost = false; !lost; attempt += 1) {
        assert.ok(attempt < 5, "the store is lost in the end");
        await lose(store, () => run(save));
        await run(async ({ page, state }) => {
          lost = state.models === 1;
          if (!lost) {
            // All of it; or, where Chromium had put what was there before the last save into a file of its own by then, that.
            assert.ok([saved + 1, saved - 2].includes(state.models), `${state.models} of ${saved + 1}: all of it, a save, or nothing`);
            saved = state.models - 1;
            return;
          }
          await page.waitForSelector("[data-testid=storage-notice]", { timeout: 60_000 });
          await page.click("[data-testid=storage-noted]");
          await page.waitForSelector("[data-testid=storage-notice]", { hidden: true, timeout: 60_000 });
        });
      }
      await run(async ({ page }) => assert.equal(await page.$("[data-testid=storage-notice]"), null));
    } finally {
      await scratch.end();
    }
  });
}
