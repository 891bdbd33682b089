// The main job with the demo model: panel → model → host → workspace, in a real Chromium and a real Firefox, and a look at the folder itself.
import assert from "node:assert/strict";
import { test } from "node:test";
import { applyHunks, checkMainJob, doMainJob, readTree } from "./lib/main-job.mjs";
import { BROWSERS, Stage } from "./lib/stage.mjs";
import { makeSample } from "./lib/workspace.mjs";

for (const browser of BROWSERS) test(`the demo model repairs the sample in ${browser}, and only what was approved happened`, { timeout: 240_000 }, async () => {
  let folder = null;
  const stage = await Stage.open({
    browser,
    prepare: ({ scratch, environment }) => {
      folder = makeSample(scratch.make("harbour-shop"), environment);
      return [{ id: "harbour-shop", folder }];
    },
  });
  try {
    const { panel, environment } = stage;
    const before = readTree(folder, environment);
    await panel.waitConnected();
    const { state, approved } = await doMainJob(panel);
    const { checks } = await checkMainJob(panel, { folder, environment, before, state, approved });
    assert.deepEqual(checks.filter((check) => !check.ok), []);
  } catch (error) {
    await stage.explain();
    throw error;
  } finally {
    await stage.close();
  }
});

test("a plan's hunks rebuild the file, and hunks of another file do not fit", () => {
  const hunks = [{ old_start: 2, old_lines: 1, new_start: 2, new_lines: 2, lines: ["-two", "+zwei", "+drei"] }];
  assert.equal(applyHunks("one\ntwo\nfour\n", hunks), "one\nzwei\ndrei\nfour\n");
  assert.equal(applyHunks("", [{ old_start: 0, old_lines: 0, new_start: 1, new_lines: 1, lines: ["+new"] }]), "new\n");
  assert.throws(() => applyHunks("one\nother\n", hunks), /the plan's line 2/);
});
