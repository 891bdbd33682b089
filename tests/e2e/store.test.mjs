// The store outlives a browser that was killed in the middle of a write; and where it was lost all the same, the panel says so.
//
// What a kill between two writes leaves is put there by hand: the head of a record at the end of LevelDB's log. Chromium passes it
// over at the next start, writes behind it, and deletes everything at the start after that (`storage/fresh-log.ts`).
import assert from "node:assert/strict";
import { appendFileSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { Chromium } from "./lib/chromium.mjs";
import { Driver } from "./lib/driver.mjs";
import { isAlive } from "./lib/host.mjs";
import { EXTENSION_ID, extensionBuild } from "./lib/places.mjs";
import { Scratch } from "./lib/scratch.mjs";
import { waitUntil } from "./lib/wait.mjs";

/** A checksum, a length of 64, the type of a whole record; and nothing of it. */
const TORN = Buffer.from([0x11, 0x22, 0x33, 0x44, 64, 0, 1]);

test("a log that was torn by a kill costs nothing, and a lost store is told", { timeout: 400_000 }, async () => {
  const scratch = new Scratch("outrigger-store");
  const environment = scratch.environment();
  const profile = scratch.make("profile");
  const store = path.join(profile, "Default/IndexedDB", `chrome-extension_${EXTENSION_ID}_0.indexeddb.leveldb`);
  let saved = 0;
  let browser = null;
  scratch.atEnd(() => browser?.close());

  /** One run of the browser, ended by force after its work. */
  const run = async (work) => {
    browser = await Chromium.launch({ extension: extensionBuild("e2e-chrome-mv3"), profile, environment, page: "about:blank" });
    const page = await browser.browser.newPage();
    await page.goto(browser.url("sidepanel.html"));
    const driver = await Driver.attach(page);
    const state = await waitUntil("the engine's lists", () => driver.state());
    await work({ page, driver, state });
    const { pid } = browser;
    process.kill(pid, "SIGKILL");
    await waitUntil("the browser's end", () => !isAlive(pid));
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
      const log = readdirSync(store).filter((name) => name.endsWith(".log")).toSorted().at(-1);
      appendFileSync(path.join(store, log), TORN);
      await run(save);
    }
    await run(save);
    // Lost after all, as by a disk that fails: it never looks like a first start.
    rmSync(path.join(profile, "Default/IndexedDB"), { recursive: true });
    await run(async ({ page, state }) => {
      assert.equal(state.models, 1);
      await page.waitForSelector("[data-testid=storage-notice]", { timeout: 30_000 });
      await page.click("[data-testid=storage-noted]");
      await page.waitForSelector("[data-testid=storage-notice]", { hidden: true, timeout: 30_000 });
    });
    await run(async ({ page }) => assert.equal(await page.$("[data-testid=storage-notice]"), null));
  } finally {
    await scratch.end();
  }
});
