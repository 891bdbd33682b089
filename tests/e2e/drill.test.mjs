// Rows 51, 52, 53 (user wishes 3, 4, 6): a real Chromium, a real host, and a worker that dies at an exact event of a session.
//
// A sample of the boundaries; `DRILL_ALL=1` kills at every one. Lost, doubled and orphaned calls are counted in what the
// model server really received; edits and the command's runs are counted in the folder.
import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { Driver, openCards } from "./lib/driver.mjs";
import { explainLogFaults } from "./lib/log.mjs";
import { Stage } from "./lib/stage.mjs";
import { waitUntil } from "./lib/wait.mjs";
import { armWorker } from "./lib/worker-death.mjs";
import { ModelServer } from "./model-server.mjs";

const COUNTING = `import { appendFileSync } from "node:fs"; appendFileSync("ran.log", "ran\\n"); console.log("counted");\n`;
const edit = (file) => ({ name: "fs_edit", args: { path: file, edits: [{ old_text: "count = 0", new_text: "count = 1" }] } });

const STEPS = [
  { text: "I read.", calls: [{ name: "fs_read", args: { path: "a.txt" } }, { name: "fs_read", args: { path: "b.txt" } }] },
  { text: "I edit.", calls: [edit("a.txt"), edit("b.txt")] },
  { text: "I count.", calls: [{ name: "exec_run", args: { command: "count" } }, { name: "fs_read", args: { path: "a.txt" } }] },
  { text: "Done." },
];

/** Answers by how far the talk is, with call ids of this talk. */
function reply(asked) {
  const place = asked.messages.filter((message) => message.role === "assistant").length;
  const step = STEPS[place] ?? STEPS.at(-1);
  return { ...step, calls: (step.calls ?? []).map((call, index) => ({ ...call, id: `call_${place}_${index}` })) };
}

test("the worker dies at an event, and the session goes on: lost 0, doubled 0, orphans 0", { timeout: 900_000 }, async () => {
  const server = await ModelServer.start(reply);
  let folder = null;
  const stage = await Stage.open({
    build: "e2e-chrome-mv3",
    prepare: ({ scratch }) => {
      folder = scratch.make("work");
      writeFileSync(path.join(folder, "count.mjs"), COUNTING);
      return [{ id: "work", folder }];
    },
    config: () => `[[command]]\nid = "count"\nprogram = "node"\nargs = ["count.mjs"]\nsummary = "Count a run"\n`,
  });
  try {
    await stage.panel.waitConnected();
    const driver = await Driver.attach(stage.panel.page);
    const saved = await driver.send("saveModel", { id: null, label: "scripted", baseUrl: server.baseUrl, modelName: "scripted", apiKey: null });
    await driver.send("selectModel", { session: null, model: saved.model.id });

    const whole = await play({ driver, stage, server, folder, at: null });
    assert.deepEqual(whole.faults, []);
    const total = whole.log.length;
    const places = process.env.DRILL_ALL === "1" ? Array.from({ length: total - 1 }, (_, place) => place + 1) : sample(whole.log);
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
  const wanted = ["TurnStart", "ToolRequested", "AssistantDone", "ToolStarted", "ApprovalAsked", "ApprovalAnswered", "ToolResult", "StepEnd"];
  return wanted.map((type) => log.findLastIndex((entry) => entry.event.type === type) + 1).toSorted((left, right) => left - right);
}

async function play({ driver, stage, server, folder, at }) {
  for (const file of ["a.txt", "b.txt"]) writeFileSync(path.join(folder, file), "count = 0\n");
  rmSync(path.join(folder, "ran.log"), { force: true });
  const before = (await driver.log()).length;
  const asked = server.requests.length;
  if (at !== null) await armWorker(stage.chromium, at);
  // Its answer may be lost with the worker; the log has the session.
  void driver.send("startSession", { text: `work ${asked}` }).catch(() => {});
  const known = new Set((await driver.log()).map((entry) => entry.session));
  const session = await waitUntil("the session", async () => (await driver.log()).find((entry) => entry.event.type === "UserMessage" && entry.event.text === `work ${asked}`)?.session ?? null, { everyMs: 30, describe: () => `${known.size} sessions` });
  if (at !== null) {
    await untilReached(driver, session, before + at);
    await stage.chromium.stopWorker();
    await stage.panel.waitConnected();
  }
  const log = await driver.finish(session);
  const faults = [...explainLogFaults(log), ...explainTalk(server.requests.slice(asked).map((request) => request.body.messages)), ...explainFolder(folder, log)];
  const outcome = log.findLast((entry) => entry.event.type === "TurnEnd").event.outcome;
  if (outcome !== "complete") faults.push(`the turn ended as ${outcome}`);
  return { log, faults };
}

/** Cards are answered meanwhile: the event may lie behind them. */
async function untilReached(driver, session, count) {
  await waitUntil(
    "the deadly event",
    async () => {
      const log = await driver.log();
      if (log.length >= count) return true;
      const answers = openCards(log.filter((entry) => entry.session === session).map((entry) => entry.event));
      // A worker that is already stopped answers nothing.
      if (answers.length > 0) void driver.send("answerApproval", { session, answers }).catch(() => {});
      return false;
    },
    { everyMs: 40 },
  );
}

/** Whatever a provider would not accept, or would miss. */
function explainTalk(prompts) {
  const faults = [];
  let before = [];
  for (const messages of prompts) {
    const calls = [];
    let open = [];
    for (const message of messages) {
      if (message.role === "tool") {
        if (open.shift() !== message.tool_call_id) faults.push(`orphan: a result of ${message.tool_call_id}`);
        continue;
      }
      if (open.length > 0) faults.push(`orphan: no result of ${open.join()}`);
      open = (message.tool_calls ?? []).map((call) => call.id);
      calls.push(...open);
    }
    if (open.length > 0) faults.push(`orphan: no result of ${open.join()}`);
    if (new Set(calls).size !== calls.length) faults.push(`doubled: ${calls.join()}`);
    const lost = before.filter((call) => !calls.includes(call));
    if (lost.length > 0) faults.push(`lost: ${lost.join()}`);
    before = calls;
  }
  return faults;
}

function explainFolder(folder, log) {
  const faults = [];
  for (const file of ["a.txt", "b.txt"]) {
    const text = readFileSync(path.join(folder, file), "utf8");
    if (text !== "count = 1\n") faults.push(`${file} holds ${JSON.stringify(text)}`);
  }
  const runs = existsSync(path.join(folder, "ran.log")) ? readFileSync(path.join(folder, "ran.log"), "utf8").split("\n").length - 1 : 0;
  if (runs > 1) faults.push(`doubled: the command ran ${runs} times`);
  const command = log.findLast((entry) => entry.event.type === "ToolRequested" && entry.event.tool === "exec_run")?.event.call;
  const result = log.find((entry) => entry.event.type === "ToolResult" && entry.event.call === command)?.event;
  if (result?.isError === false && runs !== 1) faults.push("the command says that it ran, and did not");
  if (result?.isError === true && !/^(cancelled|outcome_unknown)/.test(result.text)) faults.push(`the command failed: ${result.text}`);
  return faults;
}
