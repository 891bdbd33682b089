// Rows 51, 52, 53, 81: the same engine in a real Firefox, with a real host: a whole session, one whose host is killed at an exact
// event, one whose background is stopped there as idleness does, one whose add-on is replaced there, and one whose browser is killed
// there. Counted as in Chromium.
//
// A sample of the boundaries; `DRILL=all` breaks at every one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pageBoundary } from "./lib/boundary.mjs";
import { drillAt, isWanted, placesOf, play } from "./lib/drill-play.mjs";
import { DRILL_COMMAND, DRILL_FACTS, prepareFolder, reply } from "./lib/drill-scenario.mjs";
import { Driver } from "./lib/driver.mjs";
import { Firefox } from "./lib/firefox.mjs";
import { descendants, installForFirefox, isAlive, writeConfig } from "./lib/host.mjs";
import { Panel } from "./lib/panel.mjs";
import { extensionBuild } from "./lib/places.mjs";
import { Scratch } from "./lib/scratch.mjs";
import { waitUntil } from "./lib/wait.mjs";
import { ModelServer } from "./model-server.mjs";

test("a session in Firefox, whole, and broken: its host dies, its background is stopped or replaced, its browser is killed", { timeout: 7_000_000 }, async () => {
  const scratch = new Scratch("outrigger-firefox-engine");
  const server = await ModelServer.start(reply);
  const stage = { server, folder: scratch.make("work"), environment: scratch.environment(), profile: scratch.make("profile"), firefox: null, driver: null };
  scratch.atEnd(() => stage.firefox?.close());
  try {
    prepareFolder(stage.folder);
    writeConfig(scratch, [{ id: "work", folder: stage.folder }], DRILL_COMMAND);
    await installForFirefox(stage.environment);
    await launch(stage);
    const saved = await stage.driver.send("saveModel", { id: null, label: "scripted", baseUrl: server.baseUrl, modelName: "scripted", apiKey: null });
    await stage.driver.send("selectModel", { session: null, model: saved.model.id });
    await stage.driver.send("saveModelFacts", { own: DRILL_FACTS });

    const { log, faults: wrong } = await play(stage);
    assert.deepEqual(wrong, []);
    assert.ok(log.some((entry) => entry.event.type === "Compacted"), "the session made room");
    const faults = [];
    const drill = (name, kinds, breakIt) => drillAt(stage, { name, log, places: placesOf(log, kinds), one: (at) => breakAt(stage, at, breakIt) });
    if (isWanted("host")) faults.push(...(await drill("host killed", ["StepStart", "ToolStarted", "ApprovalAsked", "ToolResult"], killHost)));
    if (isWanted("stopped")) faults.push(...(await drill("background stopped", ["ToolRequested", "ToolStarted", "ApprovalAsked", "Compacted"], stopBackground)));
    if (isWanted("background")) faults.push(...(await drill("background replaced", ["AssistantDone", "ApprovalAnswered"], replaceBackground)));
    if (isWanted("browser")) faults.push(...(await drill("browser killed", ["ToolStarted"], killBrowser)));
    assert.deepEqual(faults, []);
  } catch (error) {
    process.stderr.write(`${JSON.stringify(server.problems)}\n`);
    throw error;
  } finally {
    await scratch.end();
    await server.close();
  }
});

async function launch(stage) {
  stage.firefox = await Firefox.launch({ extension: extensionBuild("e2e-firefox-mv3"), environment: stage.environment, profile: stage.profile });
  await attach(stage);
}

async function attach(stage) {
  stage.panel = new Panel(await stage.firefox.openPanel());
  await stage.panel.waitConnected(60_000);
  stage.driver = await Driver.attach(stage.panel.page);
}

/** The engine stops at the event, the break comes, and it goes on or begins anew. */
function breakAt(stage, at, breakIt) {
  const boundary = pageBoundary(stage.driver.page);
  return play(stage, { at, arm: (place) => boundary.freezeAt(place), isReached: () => boundary.isFrozen(), breakIt: () => breakIt(stage, boundary) });
}

async function killHost(stage, boundary) {
  for (const { pid } of descendants(stage.firefox.pid, "outrigger").filter(({ line }) => line.includes("native-messaging-hosts"))) process.kill(pid, "SIGKILL");
  await boundary.thaw();
}

/** The panel's own page stays, as it does when the browser ends what was idle. */
async function stopBackground(stage) {
  await stage.firefox.stopBackground();
  await stage.panel.waitConnected(60_000);
}

async function replaceBackground(stage) {
  await stage.firefox.reloadExtension();
  await attach(stage);
}

async function killBrowser(stage) {
  const { pid } = stage.firefox;
  process.kill(pid, "SIGKILL");
  await waitUntil("the browser's end", () => !isAlive(pid));
  await launch(stage);
}
