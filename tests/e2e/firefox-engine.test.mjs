// Rows 51, 52, 53, 81: the same engine in a real Firefox, with a real host: a whole session, one whose host is killed at events of
// each kind, and one whose add-on is reloaded in the middle. Counted as in Chromium.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DRILL_COMMAND, DRILL_FACTS, explainDrill, prepareFolder, reply, resetFolder } from "./lib/drill-scenario.mjs";
import { Driver, openCards } from "./lib/driver.mjs";
import { Firefox } from "./lib/firefox.mjs";
import { descendants, installForFirefox, writeConfig } from "./lib/host.mjs";
import { Panel } from "./lib/panel.mjs";
import { extensionBuild } from "./lib/places.mjs";
import { Scratch } from "./lib/scratch.mjs";
import { waitUntil } from "./lib/wait.mjs";
import { ModelServer } from "./model-server.mjs";

test("a session in Firefox, whole, with a host that dies, and with a background that is replaced", { timeout: 600_000 }, async () => {
  const scratch = new Scratch("outrigger-firefox-engine");
  const server = await ModelServer.start(reply);
  try {
    const environment = scratch.environment();
    const folder = scratch.make("work");
    prepareFolder(folder);
    writeConfig(scratch, [{ id: "work", folder }], DRILL_COMMAND);
    await installForFirefox(environment);
    const firefox = await Firefox.launch({ extension: extensionBuild("e2e-firefox-mv3"), environment });
    scratch.atEnd(() => firefox.close());
    const stage = { firefox, server, folder, driver: await attach(firefox) };
    const saved = await stage.driver.send("saveModel", { id: null, label: "scripted", baseUrl: server.baseUrl, modelName: "scripted", apiKey: null });
    await stage.driver.send("selectModel", { session: null, model: saved.model.id });
    await stage.driver.send("saveModelFacts", { own: DRILL_FACTS });

    const whole = await play(stage, null, async () => {});
    assert.deepEqual(whole.faults, []);
    assert.ok(whole.log.some((entry) => entry.event.type === "Compacted"), "the session made room");
    const faults = [];
    const last = (type) => whole.log.findLastIndex((entry) => entry.event.type === type) + 1;
    for (const type of ["StepStart", "ToolStarted", "ApprovalAsked", "ToolResult"]) {
      const done = await play(stage, last(type), () => killHost(firefox));
      faults.push(...done.faults.map((fault) => `host killed after ${type}: ${fault}`));
    }
    for (const type of ["AssistantDone", "ApprovalAnswered"]) {
      const done = await play(stage, last(type), async () => {
        await firefox.reloadExtension();
        stage.driver = await attach(firefox);
      });
      faults.push(...done.faults.map((fault) => `background replaced after ${type}: ${fault}`));
    }
    console.log(`broken at 6 of ${whole.log.length} events: ${faults.length} faults`);
    assert.deepEqual(faults, []);
  } catch (error) {
    process.stderr.write(`${JSON.stringify(server.problems)}\n`);
    throw error;
  } finally {
    await scratch.end();
    await server.close();
  }
});

async function attach(firefox) {
  const panel = new Panel(await firefox.openPanel());
  await panel.waitConnected(60_000);
  return Driver.attach(panel.page);
}

function killHost(firefox) {
  const hosts = descendants(firefox.pid, "outrigger").filter(({ line }) => line.includes("native-messaging-hosts"));
  assert.ok(hosts.length > 0, "a host runs");
  for (const { pid } of hosts) process.kill(pid, "SIGKILL");
}

/** One session; at the first sight of event `at` (or later) it is broken. */
async function play(stage, at, breakIt) {
  const { server, folder } = stage;
  resetFolder(folder);
  const earlier = await stage.driver.log();
  const known = new Set(earlier.map((entry) => entry.session));
  const asked = server.requests.length;
  const { session } = await stage.driver.send("startSession", { text: `work ${asked}` });
  if (at !== null) {
    await waitUntil(
      "the event",
      async () => {
        const log = await stage.driver.log();
        if (log.length - earlier.length >= at) return true;
        await stage.driver.send("answerApproval", { session, answers: openCards(log.filter((entry) => entry.session === session).map((entry) => entry.event)) });
        return false;
      },
      { everyMs: 15 },
    );
    await breakIt();
  }
  await stage.driver.finish(session, { timeoutMs: 90_000 });
  const log = (await stage.driver.log()).filter((entry) => !known.has(entry.session)).toSorted((left, right) => left.at - right.at || left.session.localeCompare(right.session) || left.seq - right.seq);
  const faults = explainDrill({ log, session, folder, prompts: server.requests.slice(asked).map((request) => request.body.messages) });
  await stage.driver.send("deleteSession", { session, forGood: true });
  return { log, faults };
}
