// Rows 51, 52, 53 (user wishes 3, 4, 6): a real Chromium whose host, or whose whole browser, is killed at an exact event.
//
// A sample of the boundaries; `DRILL=all` kills at every one. Counted as in `drill.test.mjs`, which kills the worker.
import assert from "node:assert/strict";
import { test } from "node:test";
import { workerBoundary } from "./lib/boundary.mjs";
import { Chromium } from "./lib/chromium.mjs";
import { drillAt, isWanted, placesOf, play } from "./lib/drill-play.mjs";
import { DRILL_COMMAND, DRILL_FACTS, prepareFolder, reply } from "./lib/drill-scenario.mjs";
import { Driver } from "./lib/driver.mjs";
import { descendants, isAlive } from "./lib/host.mjs";
import { extensionBuild } from "./lib/places.mjs";
import { Stage } from "./lib/stage.mjs";
import { waitUntil } from "./lib/wait.mjs";
import { ModelServer } from "./model-server.mjs";

const BUILD = "e2e-chrome-mv3";

test("the host or the browser is killed at an event, and the session goes on: lost 0, doubled 0, orphans 0", { timeout: 7_000_000 }, async () => {
  const server = await ModelServer.start(reply);
  let folder = null;
  const stage = await Stage.open({
    build: BUILD,
    prepare: ({ scratch }) => {
      folder = scratch.make("work");
      prepareFolder(folder);
      return [{ id: "work", folder }];
    },
    config: () => DRILL_COMMAND,
  });
  try {
    await stage.panel.waitConnected();
    const drill = { server, folder, driver: await Driver.attach(stage.panel.page) };
    const saved = await drill.driver.send("saveModel", { id: null, label: "scripted", baseUrl: server.baseUrl, modelName: "scripted", apiKey: null });
    await drill.driver.send("selectModel", { session: null, model: saved.model.id });
    await drill.driver.send("saveModelFacts", { own: DRILL_FACTS });
    const whole = await play(drill);
    assert.deepEqual(whole.faults, []);
    const { log } = whole;

    const faults = [];
    if (isWanted("host")) faults.push(...(await drillAt(drill, { name: "host killed", log, places: placesOf(log, ["StepStart", "ToolStarted", "ApprovalAsked", "ApprovalAnswered", "ToolResult"]), one: (at) => killHost(drill, stage, at) })));
    if (isWanted("browser")) faults.push(...(await drillAt(drill, { name: "browser killed", log, places: placesOf(log, ["ApprovalAsked"]), one: (at) => killBrowser(drill, stage, at) })));
    assert.deepEqual(faults, []);
  } catch (error) {
    await stage.explain();
    process.stderr.write(`${JSON.stringify(server.problems)}\n`);
    throw error;
  } finally {
    await stage.close();
    await server.close();
  }
});

/** The engine waits at the event until its host is dead, and hears of both. */
function killHost(drill, stage, at) {
  const boundary = workerBoundary(stage.chromium);
  return play(drill, {
    at,
    arm: (place) => boundary.freezeAt(place),
    isReached: () => boundary.isFrozen(),
    breakIt: async () => {
      // The browser's own processes name the extension, too; only the host is told by whom it was started.
      const hosts = descendants(stage.chromium.pid, "chrome-extension://").filter(({ line }) => !line.includes("--type="));
      assert.ok(hosts.length > 0, "a host runs");
      for (const { pid } of hosts) process.kill(pid, "SIGKILL");
      await boundary.thaw();
    },
  });
}

/** As when the machine's owner ends it, or its memory does. The same profile is opened again. */
function killBrowser(drill, stage, at) {
  const boundary = workerBoundary(stage.chromium);
  return play(drill, {
    at,
    arm: (place) => boundary.freezeAt(place),
    isReached: () => boundary.isFrozen(),
    breakIt: async () => {
      const { pid } = stage.chromium;
      process.kill(pid, "SIGKILL");
      await waitUntil("the browser's end", () => !isAlive(pid));
      stage.chromium = await Chromium.launch({ extension: extensionBuild(BUILD), profile: stage.profile, environment: stage.environment, page: "about:blank" });
      await stage.openPanel();
      await stage.panel.waitConnected();
      drill.driver = await Driver.attach(stage.panel.page);
      // Seen now and then on a full disk: Chromium itself comes up with an empty store for the extension. No engine can go on from that.
      const { models } = await waitUntil("the engine's lists", () => drill.driver.state());
      assert.equal(models, 2, "the browser kept what the extension had stored");
    },
  });
}
