// What the engine costs in a real Chromium: its start, long sessions, streams, its size, and twelve hours of work.
//
//   cargo build && (cd extension && npm run build && OUTRIGGER_E2E=1 npm run build) && node tests/bench/engine.mjs [--only NAME,…] [--json FILE]
//
// Linux only. Ends with 1 where a figure is above its budget. The machine's own speed stands beside it: a loop of arithmetic.
import { gzipSync } from "node:zlib";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import vm from "node:vm";
import { parseArgs } from "node:util";
import { descendants } from "../e2e/lib/host.mjs";
import { Driver } from "../e2e/lib/driver.mjs";
import { EXTENSION, extensionBuild, requireFromExtension } from "../e2e/lib/places.mjs";
import { Stage } from "../e2e/lib/stage.mjs";
import { sleep } from "../e2e/lib/wait.mjs";
import { ModelServer } from "../e2e/model-server.mjs";
import { longSession } from "./long-session.mjs";
import { streamCost, ticks } from "./stream-cost.mjs";
import { soak } from "./soak.mjs";

const { values } = parseArgs({ options: { only: { type: "string" }, json: { type: "string" }, hours: { type: "string", default: "12" } } });
const isWanted = (name) => values.only === undefined || values.only.split(",").includes(name);
const figures = [];

/** `budget` null: told, not judged. */
export function figure(name, value, unit, budget = null) {
  figures.push({ name, value: Math.round(value * 100) / 100, unit, budget, ok: budget === null || value <= budget });
  const told = figures.at(-1);
  console.log(`${told.ok ? "ok    " : "ABOVE "} ${name.padEnd(52)} ${String(told.value).padStart(10)} ${unit}${budget === null ? "" : ` (budget ${budget})`}`);
}

const median = (all) => all.toSorted((left, right) => left - right)[Math.floor(all.length / 2)];

function machine() {
  const begin = performance.now();
  let sum = 0;
  for (let at = 0; at < 50_000_000; at += 1) sum = (sum + at * 7) % 1_000_003;
  figure(`the machine: 50 million steps of a loop (${sum})`, performance.now() - begin, "ms");
}

const IMPORT = /import\s*(?:\{[^}]*\}\s*from\s*)?["'](\.[^"']*)["'];?/g;

/** A module of the build and all that it needs before it runs. */
function withImports(file, seen = new Set()) {
  if (seen.has(file)) return [];
  seen.add(file);
  const source = readFileSync(file, "utf8");
  return [source, ...[...source.matchAll(IMPORT)].flatMap(([, name]) => withImports(path.join(path.dirname(file), name), seen))];
}

function size() {
  const sources = withImports(path.join(extensionBuild("chrome-mv3"), "background.js"));
  figure(`background: size, ${sources.length} files`, sources.join("").length / 1024, "KiB");
  figure("background: size, compressed", gzipSync(sources.join("")).length / 1024, "KiB");
  // Each in a scope of its own: the files of a bundle use the same short names.
  const text = sources.map((source) => `{${source.replace(IMPORT, "").replace(/export\s*\{[^}]*\};?/g, "")}\n}`).join("\n");
  const times = Array.from({ length: 9 }, (_, round) => {
    // Another text each time, or the engine would remember the last one.
    const begin = performance.now();
    new vm.Script(`${text}\n//${round}`);
    return performance.now() - begin;
  });
  figure("background: parse", median(times), "ms");
}

/** All threads of the process that holds the engine and the panel; what other programs do meanwhile is not in it. */
function cpuMs(stage) {
  return ticks(descendants(stage.chromium.pid, "--extension-process").map(({ pid }) => pid)) * 10;
}

/** From a stopped worker to the first event of a session that a page began, seen by that page. */
async function coldStart({ stage, driver }) {
  const times = [];
  const work = [];
  for (let round = 0; round < 9; round += 1) {
    await stage.chromium.stopWorker();
    // The page's port is lost with the worker; its next word is what starts the next one.
    await sleep(1_500);
    await stage.chromium.stopWorker().catch(() => {});
    const before = cpuMs(stage);
    times.push(
      await driver.page.evaluate(
        () =>
          new Promise((resolve) => {
            const begin = performance.now();
            const port = chrome.runtime.connect({ name: "outrigger.panel.v1" });
            port.onMessage.addListener((message) => {
              if (message.kind === "answer" && message.id === 1) port.postMessage({ kind: "subscribe", session: message.result.session, after: 0 });
              if (message.kind !== "events") return;
              resolve(performance.now() - begin);
              port.disconnect();
            });
            port.postMessage({ kind: "intent", id: 1, name: "startSession", params: { text: "hello", config: { model: "demo" } } });
          }),
      ),
    );
    work.push(cpuMs(stage) - before);
  }
  figure("cold start: work of the extension's process, median", median(work), "ms of CPU");
  figure("cold start to the first event, median of 9", median(times), "ms", 300);
  figure("cold start to the first event, worst", Math.max(...times), "ms");
}

async function main() {
  machine();
  if (isWanted("size")) size();
  if (!["cold", "long", "stream", "soak"].some(isWanted)) return;
  let reply = () => ({ text: "ok" });
  const server = await ModelServer.start((asked) => reply(asked));
  const stage = await Stage.open({
    build: "e2e-chrome-mv3",
    prepare: ({ scratch }) => {
      const folder = scratch.make("work");
      writeFileSync(path.join(folder, "big.txt"), "All work and no play, all work and no play, all work and no play.\n".repeat(1_500));
      return [{ id: "work", folder }];
    },
  });
  try {
    await stage.panel.waitConnected();
    const driver = await Driver.attach(stage.panel.page);
    const bench = { stage, driver, server, figure, median, answer: (next) => (reply = next), hours: Number(values.hours), extension: EXTENSION, requireFromExtension };
    const saved = await driver.send("saveModel", { id: null, label: "scripted", baseUrl: server.baseUrl, modelName: "scripted", apiKey: null });
    await driver.send("selectModel", { session: null, model: saved.model.id });
    if (isWanted("cold")) await coldStart(bench);
    if (isWanted("long")) await longSession(bench);
    if (isWanted("stream")) await streamCost(bench);
    if (isWanted("soak")) await soak(bench);
  } finally {
    await stage.close();
    await server.close();
  }
}

await main();
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(figures, null, 2)}\n`);
process.exitCode = figures.every(({ ok }) => ok) ? 0 : 1;
