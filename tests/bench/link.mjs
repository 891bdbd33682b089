// How fast a large result comes through each browser's port, and how long a small question takes meanwhile.
//
//   cargo build --release && node tests/bench/link.mjs
//
// Ends with 1 where a figure is above its budget.
import { BehaviourStage } from "../e2e/behaviour/stage.mjs";
import { installForChromium, installForFirefox, writeConfig } from "../e2e/lib/host.mjs";
import { largeEcho } from "../e2e/lib/large-echo.mjs";
import { IDS } from "../e2e/lib/places.mjs";

const BYTES = 63 * 1024 * 1024;
const BUDGET_MS = { chromium: 3_000, firefox: 4_000 };
const SMALL_BUDGET_MS = 200;
const median = (all) => all.toSorted((left, right) => left - right)[Math.floor(all.length / 2)];

let isAbove = false;
function figure(name, ms, budget) {
  isAbove ||= ms > budget;
  console.log(`${ms > budget ? "ABOVE " : "ok    "} ${name.padEnd(60)} ${ms.toFixed(0).padStart(8)} ms (budget ${budget})`);
}

for (const name of ["chromium", "firefox"]) {
  const stage = await BehaviourStage.open(name);
  try {
    writeConfig(stage.scratch, [{ id: "work", folder: stage.scratch.make("work") }]);
    await (name === "chromium" ? installForChromium(stage.environment, stage.profile) : installForFirefox(stage.environment));
    const runs = [];
    for (let round = 0; round < 3; round += 1) runs.push(await stage.page.evaluate(largeEcho, { host: IDS.host_name, bytes: BYTES, chunkBytes: 256 * 1024 }));
    if (!runs.every(({ isWhole }) => isWhole)) throw new Error("a text came back changed");
    const small = runs.flatMap((run) => run.small.filter(({ before }) => before < run.chunks).map(({ ms }) => ms));
    figure(`${name}: 63 MiB from the host, first chunk to whole message, of 3`, Math.min(...runs.map(({ ms }) => ms)), BUDGET_MS[name]);
    figure(`${name}: a small answer while it is under way, median of ${small.length}`, median(small), SMALL_BUDGET_MS);
    figure(`${name}: and the slowest`, Math.max(...small), SMALL_BUDGET_MS);
  } finally {
    await stage.close();
  }
}
process.exitCode = isAbove ? 1 : 0;
