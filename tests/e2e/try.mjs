// What `installers/try.sh` runs once everything is built: a throw-away profile, the sample workspace, the browser, the panel.
//
// With `--headless` it does the whole job by clicking the panel, checks the folder itself and leaves a transcript and
// pictures in `--out`. Otherwise it opens a window, says what to try, and tidies up when the window is closed.
// It touches nothing of the user's: home, configuration and state all lie in the scratch folder.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import { parseArgs } from "node:util";
import { Chromium } from "./lib/chromium.mjs";
import { installForChromium, outrigger, writeConfig } from "./lib/host.mjs";
import { checkMainJob, doMainJob, readTree, TASK } from "./lib/main-job.mjs";
import { Panel } from "./lib/panel.mjs";
import { extensionBuild, ROOT } from "./lib/places.mjs";
import { Scratch } from "./lib/scratch.mjs";
import { Screen } from "./lib/screen.mjs";
import { sleep } from "./lib/wait.mjs";
import { makeSample } from "./lib/workspace.mjs";

const { values: options } = parseArgs({ options: { headless: { type: "boolean", default: false }, out: { type: "string" }, scratch: { type: "string" } } });

const say = (words) => process.stdout.write(`${words}\n`);
const scratch = new Scratch("outrigger-try", options.scratch ?? null);
let ending = null;
const finish = () => (ending ??= scratch.end());
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.once(signal, () => void finish().then(() => process.exit(130)));
}

try {
  process.exitCode = options.headless ? await doItAll() : await openWindow();
} catch (error) {
  process.stderr.write(`try.sh: ${error.message}\n`);
  process.exitCode = 1;
} finally {
  await finish();
}

async function setUp(extra = {}) {
  const environment = scratch.environment(extra);
  const folder = makeSample(scratch.make("harbour-shop"), environment);
  writeConfig(scratch, [{ id: "harbour-shop", folder }]);
  const profile = scratch.make("profile");
  await installForChromium(environment, profile);
  return { environment, folder, profile };
}

async function launch({ environment, profile }, headless) {
  const page = await servePage(path.join(ROOT, "installers/welcome.html"));
  const chromium = await Chromium.launch({ extension: extensionBuild("chrome-mv3"), profile, environment, headless, page, ignoreDefaultArgs: ["--enable-automation"] });
  scratch.atEnd(() => chromium.close());
  // What it shows after an install: here the page beside the panel says more.
  const welcome = await chromium.browser.waitForTarget((target) => target.url() === chromium.url("welcome.html"), { timeout: 10_000 }).catch(() => null);
  await (await welcome?.page())?.close();
  return chromium;
}

async function openWindow() {
  const place = await setUp();
  const chromium = await launch(place, false);
  await chromium.openPanel();
  say(`
A browser window is open, with Outrigger in its side panel.

  workspace   ${place.folder}
              a small shop; one of its tests fails
  try         type: ${TASK}
              (the demo model answers, without any network; another can be added at the bottom of the panel)
  you decide  each change and each command waits for your Allow
  the host    ${scratch.path("state")} holds its journal and log

Close the window, or press Ctrl+C, to end. Everything above is then removed.
`);
  await new Promise((resolve) => {
    chromium.browser.once("disconnected", resolve);
  });
  return 0;
}

async function doItAll() {
  if (options.out === undefined) throw new Error("--headless needs --out DIR for the transcript and the pictures");
  const out = path.resolve(options.out);
  mkdirSync(out, { recursive: true });
  const screen = await Screen.start(scratch.make("screen"));
  if (screen === null) say("no Xvfb here: the panel alone is pictured, not the whole window");
  else scratch.atEnd(() => screen.close());
  const place = await setUp(screen === null ? {} : { DISPLAY: screen.display });
  const before = readTree(place.folder, place.environment);
  const stages = [];
  const transcript = { ok: false, task: TASK, startedAt: new Date().toISOString(), host: null, browser: null, stages, approved: [], checks: [], log: [] };
  const save = () => writeFileSync(path.join(out, "transcript.json"), `${JSON.stringify(transcript, null, 2)}\n`);
  let panel = null;
  const look = async (stage) => {
    const file = `${String(stages.length + 1).padStart(2, "0")}-${stage}`;
    // A moment for what moves: smooth scrolling, and a window that redraws.
    await sleep(300);
    await panel.picture(path.join(out, `${file}-panel.png`));
    screen?.picture(path.join(out, `${file}-window.png`));
    stages.push({ stage, at: new Date().toISOString(), panel: await panel.snapshot() });
    say(`  ${stage}`);
  };
  try {
    transcript.host = (await outrigger(place.environment, "--version")).stdout.trim();
    const chromium = await launch(place, screen === null);
    transcript.browser = await chromium.browser.version();
    say(`${transcript.host}, ${transcript.browser}`);
    panel = new Panel(await chromium.openPanel());
    await panel.waitConnected();
    const { state, approved } = await doMainJob(panel, { look });
    transcript.approved = approved;
    const { checks, log } = await checkMainJob(panel, { ...place, before, state, approved });
    Object.assign(transcript, { ok: checks.every((check) => check.ok), checks, log });
  } catch (error) {
    transcript.checks.push({ name: "the job was done", ok: false, detail: error.message });
    if (panel !== null) await look("where-it-ended").catch(() => {});
  } finally {
    save();
  }
  for (const check of transcript.checks) say(`${check.ok ? "ok    " : "FAILED"} ${check.name}${check.ok ? "" : `: ${check.detail}`}`);
  say(`transcript and pictures: ${out}`);
  return transcript.ok ? 0 : 1;
}

/** One page on 127.0.0.1, for the tab beside the panel: a panel cannot be opened over an extension's or the browser's own page everywhere. */
async function servePage(file) {
  const page = readFileSync(file);
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
    response.end(page);
  });
  await new Promise((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  scratch.atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${server.address().port}/`;
}
