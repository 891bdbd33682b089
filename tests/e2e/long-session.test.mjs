// A long session against a scripted model, on a repository of 5 000 files, with everything that can come between:
// a wrong edit, a denial with a note, a busy and a broken model server, the worker killed while a card waits and while
// a command runs, the panel closed and opened, a cancel in the middle of a command, a second workspace.
// At the end the log has exactly one result per call, and the folder holds what was approved and nothing else.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { isAlive } from "./lib/host.mjs";
import { eventsOf, explainLogFaults, readLog } from "./lib/log.mjs";
import { BROWSERS, Stage } from "./lib/stage.mjs";
import { inTurn } from "./lib/turns.mjs";
import { waitUntil } from "./lib/wait.mjs";
import { git, makeLargeRepository, makeSample } from "./lib/workspace.mjs";
import { ModelServer, textOf } from "./model-server.mjs";

const NEEDLE_PATH = "modules/part031/harbour-master.js";
const NEEDLE = "export function greetHarbourMaster(name) {\n  return `Ahoy ${name}`;\n}\n";
const NOTE = "not now: the tide is out";

// Says that it runs, by its pid and by a line for each start, and then takes far longer than any test.
const SLOW = `
import { appendFileSync } from "node:fs";
appendFileSync(process.env.SLOW_LOG, process.pid + "\\n");
console.log("the tide is coming in");
setInterval(() => console.log("still coming in"), 500);
`;

function scenario() {
  return [
    {
      name: "search",
      when: { last: { role: "user", text: /Greet the harbour master/ }, tools: ["search_grep", "fs_edit", "exec_run"] },
      reply: { reasoning: "I must find it first.", text: "I look for the greeting.", calls: [{ id: "s1", name: "search_grep", args: { pattern: "greetHarbourMaster" } }, { id: "s2", name: "search_glob", args: { pattern: "**/harbour-*.js" } }] },
    },
    {
      name: "wrong edit",
      when: { last: { role: "tool", text: NEEDLE_PATH }, any: /greetHarbourMaster\(name\)/ },
      reply: { text: "I change it.", calls: [{ id: "e1", name: "fs_edit", args: { path: NEEDLE_PATH, edits: [{ old_text: "  return `Ahoi ${name}!`;", new_text: "  return `Good morning ${name}`;" }] } }] },
    },
    // The provider is busy once, and once its stream breaks off in the middle of a call: both are asked again.
    { name: "busy", when: { last: { role: "tool", text: "no_match" } }, reply: { status: 429, retryAfter: 1 } },
    { name: "cut", when: { last: { role: "tool", text: "no_match" } }, reply: { text: "I see the line.", calls: [{ id: "e2", name: "fs_edit", args: { path: NEEDLE_PATH, edits: [] } }], cutAfter: 5 } },
    {
      name: "right edit",
      // The hint shows the line as it is.
      when: { last: { role: "tool", text: /Ahoy \$\{name\}/ } },
      reply: { text: "I see the line as it is.", calls: [{ id: "e2", name: "fs_edit", args: { path: NEEDLE_PATH, edits: [{ old_text: "  return `Ahoy ${name}`;", new_text: "  return `Good morning ${name}`;" }] } }] },
    },
    {
      name: "a command to be denied",
      when: { last: { role: "tool", text: /Good morning/ } },
      reply: { text: "Now the tests.", calls: [{ id: "x1", name: "exec_run", args: { command: "node_test" } }] },
    },
    {
      name: "a long command, to be lost with the worker",
      when: { last: { role: "tool", text: NOTE } },
      reply: { text: "Then I wait for the tide.", calls: [{ id: "x2", name: "exec_run", args: { command: "slow" } }] },
    },
    {
      name: "a long command, to be stopped",
      // The host settled it when its port closed; nobody has to guess.
      when: { last: { role: "tool", text: /^cancelled/ } },
      reply: { text: "It was cut short; once more.", calls: [{ id: "x3", name: "exec_run", args: { command: "slow" } }] },
    },
    {
      name: "after the stop",
      when: { last: { role: "user", text: /What did you do/ }, any: NOTE },
      reply: { text: "I changed the greeting. The tests did not run: the tide is out." },
    },
    {
      name: "second workspace",
      when: { last: { role: "user", text: /What is in the shop/ } },
      reply: { calls: [{ id: "l1", name: "fs_list", args: {} }, { id: "r1", name: "fs_read", args: { path: "README.md" } }] },
    },
    {
      name: "second workspace, answer",
      when: { any: /shipping\.js|Harbour shop/, last: { role: "tool" } },
      reply: { text: "A shop, and its shipping." },
    },
  ];
}

for (const browser of BROWSERS) inTurn(browser, `a long session in ${browser} with everything that can come between ends well`, { timeout: 420_000 }, async () => {
  const server = await ModelServer.start(scenario());
  let large = null;
  let slowLog = null;
  const stage = await Stage.open({
    browser,
    build: browser === "chromium" ? "e2e-chrome-mv3" : "e2e-firefox-mv3",
    prepare: ({ scratch, environment }) => {
      slowLog = `${scratch.make("tide")}/slow.log`;
      writeFileSync(scratch.path("slow.mjs"), SLOW);
      large = makeLargeRepository(scratch.make("large"), environment, { count: 5_000, needlePath: NEEDLE_PATH, needleText: NEEDLE });
      return [
        { id: "large", folder: large },
        { id: "shop", folder: makeSample(scratch.make("shop"), environment) },
      ];
    },
    config: slowCommand,
  });
  try {
    await play(stage, server, { large, slowLog });
  } catch (error) {
    await stage.explain();
    process.stderr.write(`The model server answered ${server.answered} steps; problems: ${JSON.stringify(server.problems, null, 2)}\n`);
    throw error;
  } finally {
    await stage.close();
    await server.close();
  }
});

function slowCommand({ scratch }) {
  return `[[command]]
id = "slow"
program = "node"
args = [${JSON.stringify(scratch.path("slow.mjs"))}]
summary = "Wait for the tide"
env = { SLOW_LOG = ${JSON.stringify(scratch.path("tide", "slow.log"))} }
write_paths = [${JSON.stringify(scratch.path("tide"))}]
`;
}

async function play(stage, server, { large, slowLog }) {
  let { panel } = stage;
  await panel.waitConnected();
  await panel.addModelServer({ baseUrl: server.baseUrl, name: "scripted" });
  await panel.chooseWorkspace("large");

  // Search, wrong edit, a busy server, a cut stream, right edit: no card for what was refused.
  await panel.send("Greet the harbour master more politely.");
  await panel.waitApproval("fs_edit", 60_000);
  assert.deepEqual((await panel.toolCards()).filter((card) => card.state === "failed").map((card) => card.tool), ["fs_edit"], "the wrong edit failed by itself");
  const refusal = server.requests.findLast((request) => request.body.messages.at(-1).role === "tool");
  assert.match(textOf(refusal.body.messages.at(-1)), /no_match/);
  assert.match(textOf(refusal.body.messages.at(-1)), /Ahoy \$\{name\}/, "the hint shows what stands there");

  // The worker dies while the card waits: the card is there again, and can be answered.
  panel = await stage.stopBackground();
  await panel.waitConnected();
  await panel.waitApproval("fs_edit");
  // The panel is closed and opened meanwhile: it shows the live session.
  await stage.closePanel();
  panel = await stage.openPanel();
  await panel.waitApproval("fs_edit");
  assert.match((await panel.approvalCards())[0].words, /Good morning/);
  await panel.allow();

  // A denial with a note.
  await panel.waitApproval("exec_run");
  assert.equal(readFileSync(path.join(large, NEEDLE_PATH), "utf8"), NEEDLE.replace("Ahoy", "Good morning"));
  await panel.denyWithNote(NOTE);

  // A command runs; the worker dies; the host settles it as cancelled and never runs it again.
  await panel.waitApproval("exec_run");
  assert.ok(server.requests.some((request) => request.body.messages.some((message) => message.role === "tool" && textOf(message).includes(NOTE))), "the note reached the model");
  await panel.allow();
  const [first] = await waitUntil("the slow command to run", () => pidsOf(slowLog, 1));
  panel = await stage.stopBackground();
  await waitUntil("the lost command to be gone", () => !isAlive(first), { timeoutMs: 10_000 });
  await panel.waitConnected();

  // A second one; this time a person stops it, in the middle.
  await panel.waitApproval("exec_run", 60_000);
  await panel.allow();
  const [, second] = await waitUntil("the second slow command to run", () => pidsOf(slowLog, 2));
  await panel.waitTool("exec_run", ["running"]);
  await panel.stop();
  assert.equal(await panel.waitTurn(["cancelled", "failed", "complete"]), "cancelled");
  await waitUntil("the stopped command to be gone", () => !isAlive(second), { timeoutMs: 10_000 });

  // The session goes on.
  await panel.send("What did you do?");
  assert.equal(await panel.waitTurn(["complete", "failed"]), "complete");

  // A second workspace, in a session of its own.
  await panel.newSession();
  await panel.chooseWorkspace("shop");
  await panel.send("What is in the shop?");
  assert.equal(await panel.waitTurn(["complete", "failed"]), "complete");
  assert.match((await panel.assistantMessages()).at(-1), /A shop, and its shipping/);

  // What is left of it.
  assert.deepEqual(server.problems, []);
  assert.ok(server.finished, `${server.answered} steps of the scenario were played`);
  assert.ok(server.requests.every((request) => request.origin === null), "no request says which extension it comes from");
  const log = await readLog(panel.page);
  assert.deepEqual(explainLogFaults(log), []);
  assert.equal(new Set(log.map((stored) => stored.session)).size, 2);
  const asked = eventsOf(log, "ApprovalAsked").filter((event) => event.plan.tool === "fs_edit");
  assert.ok(asked.length > 1 && new Set(asked.map((event) => event.plan.digest)).size === 1, "the card that outlived its worker was planned again, and is the same");
  assert.equal(new Set(eventsOf(log, "ToolStarted").map((event) => event.instance)).size, 3, "each killed worker took its host along");
  assert.deepEqual(eventsOf(log, "ToolResult").flatMap((event) => event.structured?.code ?? []), ["no_match", "approval_denied", "cancelled", "cancelled"]);
  assert.deepEqual(eventsOf(log, "TurnEnd").map((event) => event.outcome), ["cancelled", "complete", "complete"]);
  assert.equal(pidsOf(slowLog, 2)?.length, 2, "no command ran twice");
  assert.equal(git(large, stage.environment, "status", "--porcelain").trim(), `M ${NEEDLE_PATH}`);
}

function pidsOf(file, count) {
  if (!existsSync(file)) return null;
  const pids = readFileSync(file, "utf8").trim().split("\n").map(Number);
  return pids.length >= count ? pids : null;
}
