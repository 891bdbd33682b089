// A browser that is killed in the middle of writes, again and again: every session whose beginning was answered is there afterwards.
//
// A few kills; `DRILL=all` makes two hundred. What they once cost: `storage/fresh-log.ts`, `oneWriter` in `storage/dexie-storage.ts`.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Killable } from "./lib/killable.mjs";
import { Scratch } from "./lib/scratch.mjs";
import { BROWSERS } from "./lib/stage.mjs";
import { sleep } from "./lib/wait.mjs";

/** The most that can go wrong goes wrong in a profile of a few seconds: a new one after so many kills. */
const KILLS_A_PROFILE = 4;
const PROFILES = process.env.DRILL === "all" ? 50 : 1;
/** Each begins one session after another. */
const WRITERS = 4;

for (const name of BROWSERS) {
  test(`${name}: kills in the middle of writes lose nothing that was answered`, { timeout: 7_000_000 }, async () => {
    const scratch = new Scratch("outrigger-kills");
    const environment = scratch.environment();
    let browser = null;
    let kept = 0;
    scratch.atEnd(() => browser?.close());
    try {
      for (let round = 0; round < PROFILES; round += 1) {
        const profile = scratch.make(`profile-${round}`);
        const known = new Set();
        for (let kill = 0; kill <= KILLS_A_PROFILE; kill += 1) {
          browser = await Killable.launch(name, { profile, environment });
          const { page, driver } = browser;
          const here = new Set((await driver.log()).map(({ session }) => session));
          const lost = [...known].filter((session) => !here.has(session));
          assert.deepEqual(lost, [], `after kill ${kill} of profile ${round}, ${lost.length} of ${known.size} sessions are gone`);
          if (kill === KILLS_A_PROFILE) break;
          await page.evaluate(writeWithoutEnd, WRITERS);
          await sleep(500 + Math.random() * 1_500);
          for (const session of await page.evaluate(() => globalThis.begun)) known.add(session);
          await browser.kill();
        }
        kept += known.size;
        await browser.close();
        browser = null;
      }
      console.log(`${name}: ${PROFILES * KILLS_A_PROFILE} kills, ${kept} sessions, none lost`);
      assert.ok(kept > PROFILES, "the writers wrote");
    } finally {
      await scratch.end();
    }
  });
}

/** In the page, so that nothing is waited for that this process would have to hear. */
function writeWithoutEnd(writers) {
  globalThis.begun = [];
  const write = async () => {
    for (;;) {
      const { result } = await globalThis.outriggerSend("startSession", { text: "say something long ".repeat(10), config: { model: "demo" } });
      if (result) globalThis.begun.push(result.session);
    }
  };
  for (let writer = 0; writer < writers; writer += 1) void write();
}
