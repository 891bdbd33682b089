// The engine's unit tests in a real Chromium and a real Firefox: the same files that `npm test` runs in Node, with the browser's own
// engine, IndexedDB and locks. What needs Node (a model server, a folder) is named, with the reason, in `src/testing/in-page/main.mjs`.
//
// Random cases are few here: thousands of them run in Node.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import path from "node:path";
import { before, test } from "node:test";
import { buildTests, runTests } from "./lib/in-page.mjs";
import { EXTENSION } from "./lib/places.mjs";
import { BROWSERS } from "./lib/stage.mjs";

/** What was run in each browser; where they take turns, each has half of the files. */
const seen = { files: 0, tests: 0 };

const FOLDERS = ["agent", "app", "approval", "host", "lib", "llm", "storage", "wire"];

before(buildTests);

for (const name of BROWSERS) {
  test(`${name}: every engine test that needs no Node`, { timeout: 600_000 }, async (t) => {
    // By name: a list of failures shows what was run, and not what it was about.
    const fail = (what, why) => t.test(`${name}: ${what}`, () => assert.fail(why));
    const outcome = await runTests(name, { timeoutMs: 580_000 }).catch((error) => fail(error.message.slice(0, 300), error));
    const { files, tests, failures, elsewhere } = outcome ?? assert.fail("the tests did not come to their end");
    for (const { file, test: failed, failure } of failures) await fail(`${file}: ${failed}`, failure);
    assert.deepEqual(failures, []);
    const played = process.env.FLOWS === undefined || process.env.FLOWS === "each" ? { files, tests } : Object.assign(seen, { files: seen.files + files, tests: seen.tests + tests });
    if (played === seen && name !== BROWSERS.at(-1)) return;
    const all = FOLDERS.flatMap((folder) => readdirSync(path.join(EXTENSION, "src", folder), { recursive: true })).filter((file) => file.endsWith(".test.ts"));
    assert.equal(played.files, all.length - elsewhere.length);
    assert.ok(elsewhere.length < 12 && played.tests > 800, `${played.tests} tests, and ${elsewhere.length} files elsewhere`);
  });
}
