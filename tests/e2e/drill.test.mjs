// Rows 51, 52, 53 (user wishes 3, 4, 6): a real Chromium, a real host, and a worker that dies at an exact event of a session.
//
// A sample of the boundaries; `DRILL=all` kills at every one. Lost, doubled and orphaned calls are counted in what the
// model server really received; edits and the command's runs are counted in the folder.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Driver, openCards } from "./lib/driver.mjs";
import { DRILL_COMMAND, DRILL_FACTS, explainDrill, prepareFolder, reply, resetFolder } from "./lib/drill-scenario.mjs";
import { Stage } from "./lib/stage.mjs";
import { waitUntil, within } from "./lib/wait.mjs";
import { armWorker } from "./lib/worker-death.mjs";
import { ModelServer } from "./model-server.mjs";

test("the worker dies at an event, and the session goes on: lost 0, doubled 0, orphans 0", { timeout: 7_000_000 }, async () => {
  const server = await ModelServer.start(reply);
  let folder = null;
  const stage = await Stage.open({
    build: "e2e-chrome-mv3",
    prepare: ({ scratch }) => {
      folder = scratch.make("work");
      prepareFolder(folder);
      return [{ id: "work", folder }];
    },
    config: () => DRILL_COMMAND,
  });
  try {
    await stage.panel.waitConnected();
    const driver = await Driver.attach(stage.panel.page);
    const saved = await driver.send("saveModel", { id: null, label: "scripted", baseUrl: server.baseUrl, modelName: "scripted", apiKey: null });
    await driver.send("selectModel", { session: null, model: saved.model.id });

    await driver.send("saveModelFacts", { own: DRILL_FACTS });

    const whole = await play({ driver, stage, server, folder, at: null });
    assert.deepEqual(whole.faults, []);
    const kinds = new Set(whole.log.map((entry) => entry.event.type));
    for (const kind of ["Compacted", "ApprovalAnswered", "ToolResult"]) assert.ok(kinds.has(kind), `the session has no ${kind}`);
    assert.equal(new Set(whole.log.map((entry) => entry.session)).size, 2, "it has a sub-agent");
    const total = whole.log.length;
    const places = process.env.DRILL_AT ? process.env.DRILL_AT.split(",").map(Number) : process.env.DRILL === "all" ? Array.from({ length: total - 1 }, (_, place) => place + 1) : sample(whole.log);
    const faults = [];
    for (const at of places) {
      const done = await play({ driver, stage, server, folder, at });
      for (const fault of done.faults) faults.push(`event ${at} (${whole.log[at - 1].event.type}): ${fault}`);
    }
    console.log(`killed at ${places.length} of ${total} events: ${faults.length} faults`);
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

/** One event of each kind, where it matters most. */
function sample(log) {
  const wanted = ["TurnStart", "ToolRequested", "AssistantDone", "ToolStarted", "ApprovalAsked", "ApprovalAnswered", "ToolResult", "StepEnd", "Compacted"];
  const child = log.findIndex((entry) => entry.session !== log[0].session && entry.event.type === "ToolStarted");
  return [...wanted.map((type) => log.findLastIndex((entry) => entry.event.type === type) + 1), child + 1].toSorted((left, right) => left - right);
}

async function play({ driver, stage, server, folder, at }) {
  resetFolder(folder);
  const earlier = await driver.log();
  const before = earlier.length;
  const known = new Set(earlier.map((entry) => entry.session));
  const asked = server.requests.length;
  if (at !== null) await armWorker(stage.chromium, at);
  // Its answer may be lost with the worker; the log has the session.
  void driver.send("startSession", { text: `work ${asked}` }).catch(() => {});
  const session = await waitUntil("the session", async () => (await driver.log()).find((entry) => entry.event.type === "UserMessage" && entry.event.text === `work ${asked}`)?.session ?? null, { everyMs: 30, describe: () => `${known.size} sessions` });
  if (at !== null) {
    await untilReached(driver, session, before + at);
    await stage.chromium.stopWorker();
    await stage.panel.waitConnected();
  }
  await driver.finish(session);
  // In the order in which they were written, whichever session they are of.
  const log = (await driver.log()).filter((entry) => !known.has(entry.session)).toSorted((left, right) => left.at - right.at || left.session.localeCompare(right.session) || left.seq - right.seq);
  const faults = explainDrill({ log, session, folder, prompts: server.requests.slice(asked).map((request) => request.body.messages) });
  // What is over is put away: looking for the next event must not read all of the past.
  await driver.send("deleteSession", { session, forGood: true });
  if (process.env.DRILL === "all") console.log(`event ${at ?? "none"}: ${faults.length} faults ${faults.join("; ")}`);
  return { log, faults };
}

/** Cards are answered meanwhile: the event may lie behind them. */
async function untilReached(driver, session, count) {
  await waitUntil(
    "the deadly event",
    async () => {
      // A worker that stopped between two writes lets nobody read: it is where it should be.
      const log = await within(3_000, driver.log());
      if (log === null || log.length >= count) return true;
      const answers = openCards(log.filter((entry) => entry.session === session).map((entry) => entry.event));
      // A worker that is already stopped answers nothing.
      if (answers.length > 0) void driver.send("answerApproval", { session, answers }).catch(() => {});
      return false;
    },
    { everyMs: 40 },
  );
}

