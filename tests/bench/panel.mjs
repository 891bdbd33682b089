// How quick the panel is in a real Chromium: its first picture, keys while an answer streams in, scrolling a long session, its size.
//
//   (cd extension && npm run build) && node tests/bench/panel.mjs [--only NAME,…] [--rounds 3] [--json FILE]
//
// The long session and the stream are scenes of the gallery, which is built first: 10 000 events, 200 words a second.
// Ends with 1 where a figure is above its budget. The machine's own speed and load stand beside it: under load the figures say nothing.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import http from "node:http";
import { loadavg } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { FIRST_SCRIPT_KB, scriptsOf, sumOf } from "../e2e/lib/bundle.mjs";
import { Chromium } from "../e2e/lib/chromium.mjs";
import { EXTENSION, extensionBuild } from "../e2e/lib/places.mjs";
import { Scratch } from "../e2e/lib/scratch.mjs";
import { sleep } from "../e2e/lib/wait.mjs";

const { values } = parseArgs({ options: { only: { type: "string" }, rounds: { type: "string", default: "3" }, json: { type: "string" } } });
const isWanted = (name) => values.only === undefined || values.only.split(",").includes(name);
const ROUNDS = Number(values.rounds);
const figures = [];

/** `budget` null: told, not judged. `least`: the budget is the least it may be. */
function figure(name, value, unit, budget = null, { least = false } = {}) {
  const ok = budget === null || (least ? value >= budget : value <= budget);
  figures.push({ name, value: Math.round(value * 100) / 100, unit, budget, ok });
  console.log(`${ok ? "ok    " : "MISSED"} ${name.padEnd(60)} ${String(figures.at(-1).value).padStart(9)} ${unit}${budget === null ? "" : ` (budget ${least ? "at least " : ""}${budget})`}`);
}

const quantile = (all, part) => all.toSorted((left, right) => left - right)[Math.min(all.length - 1, Math.floor(all.length * part))];
const median = (all) => quantile(all, 0.5);

function machine() {
  const begin = performance.now();
  let sum = 0;
  for (let at = 0; at < 50_000_000; at += 1) sum = (sum + at * 7) % 1_000_003;
  figure(`the machine: 50 million steps of a loop (${sum})`, performance.now() - begin, "ms");
  figure("the machine: its load over the last minute", loadavg()[0], "");
}

/** Script before the first picture, and what is loaded after it. */
function size() {
  const { first, later } = scriptsOf(extensionBuild("chrome-mv3"));
  figure("script before the first picture", sumOf(first), "kB", FIRST_SCRIPT_KB);
  figure("script that is loaded after it", sumOf(later), "kB");
}

/** A Chromium in which nothing but the measured page wants the foreground: a new extension opens a tab with its welcome. */
async function launch(environment, profile) {
  const chromium = await Chromium.launch({ extension: extensionBuild("chrome-mv3"), profile, environment, page: "about:blank" });
  const welcome = await chromium.browser.waitForTarget((target) => target.url().startsWith(chromium.url("welcome.html")), { timeout: 30_000 });
  await (await welcome.asPage()).close();
  return chromium;
}

/** From the address to the first picture, and to the panel that says how the connection stands. */
async function firstPaint(environment, profile) {
  const chromium = await launch(environment, profile);
  try {
    const paints = [];
    const ready = [];
    for (let round = 0; round < ROUNDS * 3; round += 1) {
      const page = await chromium.browser.newPage();
      await page.goto(chromium.url("sidepanel.html"));
      await page.waitForSelector("[data-testid=connection-status]");
      const marks = await page.evaluate(() => ({ ready: performance.now(), paint: performance.getEntriesByType("paint").find(({ name }) => name === "first-contentful-paint")?.startTime ?? null }));
      if (marks.paint !== null) paints.push(marks.paint);
      ready.push(marks.ready);
      await page.close();
    }
    figure("first picture, median", median(paints), "ms", 400);
    figure("first picture, slowest", Math.max(...paints), "ms");
    figure("the panel stands, median", median(ready), "ms");
  } finally {
    await chromium.close();
  }
}

async function inGallery(environment, profile) {
  execFileSync(path.join(EXTENSION, "node_modules/.bin/vite"), ["build", "--config", "src/ui/gallery/vite.config.ts", "--logLevel", "error"], { cwd: EXTENSION, stdio: "inherit" });
  const server = await serve(path.join(EXTENSION, ".output/gallery"));
  const chromium = await launch(environment, profile);
  try {
    const page = await chromium.browser.newPage();
    await page.setViewport({ width: 360, height: 700 });
    if (isWanted("keys")) await keys(page, server.url);
    if (isWanted("scroll")) await scroll(page, server.url);
  } finally {
    await chromium.close();
    server.close();
  }
}

const SENTENCE = "the quick brown fox jumps over the lazy dog and types on and on ".repeat(2);

/** From a key to the next picture, at a quarter of the machine's speed, while 200 words a second stream in at the end of a long session. */
async function keys(page, url) {
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await page.goto(`${url}?state=huge-stream`);
    await page.waitForSelector("[data-testid=turn]");
    const cdp = await page.createCDPSession();
    await cdp.send("Emulation.setCPUThrottlingRate", { rate: 4 });
    await page.evaluate(() => {
      globalThis.waits = [];
      // A message posted in a frame is handled when that frame has been handed over.
      document.addEventListener("keydown", ({ timeStamp }) => requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => globalThis.waits.push(performance.now() - timeStamp);
        port2.postMessage(null);
      }), true);
    });
    await page.click("[data-testid=composer-input]");
    for (const letter of SENTENCE) {
      await page.keyboard.press(letter === " " ? "Space" : letter);
      await sleep(60);
    }
    await sleep(500);
    rounds.push(await page.evaluate(() => globalThis.waits));
    await cdp.send("Emulation.setCPUThrottlingRate", { rate: 1 });
    await cdp.detach();
  }
  figure("key to picture while it streams, 4x slower: p50", median(rounds.map((waits) => quantile(waits, 0.5))), "ms");
  figure("key to picture while it streams, 4x slower: p95", median(rounds.map((waits) => quantile(waits, 0.95))), "ms", 50);
}

/** A frame that took longer than the screen's own beat (and what timers round) was late. */
const BEAT_MS = 17.3;

async function scroll(page, url) {
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await page.goto(`${url}?state=huge-events`);
    await page.waitForSelector("[data-testid=turn]");
    await sleep(1_500);
    rounds.push(await page.evaluate(async () => {
      const box = document.querySelector("[data-testid=transcript]");
      const frames = [];
      let blank = 0;
      let last = performance.now();
      const end = last + 6_000;
      await new Promise((done) => {
        const tick = (now) => {
          frames.push(now - last);
          last = now;
          box.scrollTop -= 60;
          // By where they are: while it scrolls, the list lets no pointer through to its rows.
          const isDrawn = [...document.querySelectorAll("[data-testid=turn]")].some((turn) => {
            const { top, bottom } = turn.getBoundingClientRect();
            return top < 400 && bottom > 200;
          });
          if (!isDrawn) blank += 1;
          if (now < end) requestAnimationFrame(tick);
          else done();
        };
        requestAnimationFrame(tick);
      });
      return { frames: frames.slice(2), blank };
    }));
  }
  const share = ({ frames }) => (100 * frames.filter((frame) => frame <= BEAT_MS).length) / frames.length;
  figure("scrolling 10 000 events: frames in time", median(rounds.map(share)), "%", 95, { least: true });
  figure("scrolling 10 000 events: frames with nothing in them", median(rounds.map(({ blank, frames }) => (100 * blank) / frames.length)), "%", 1);
}

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".woff2": "font/woff2" };

async function serve(folder) {
  const server = http.createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://x");
    try {
      const file = path.join(folder, pathname === "/" ? "index.html" : path.normalize(pathname));
      const body = readFileSync(file);
      response.writeHead(200, { "content-type": TYPES[path.extname(file)] ?? "application/octet-stream" });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

const scratch = new Scratch("outrigger-bench-panel");
try {
  const environment = scratch.environment();
  machine();
  if (isWanted("size")) size();
  if (isWanted("paint")) await firstPaint(environment, scratch.make("paint"));
  if (isWanted("keys") || isWanted("scroll")) await inGallery(environment, scratch.make("gallery"));
} finally {
  await scratch.end();
}
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(figures, null, 2)}\n`);
process.exitCode = figures.every(({ ok }) => ok) ? 0 : 1;
