// What is begun from a conversation: a sub-agent and the tree it stands in, a side thread, a task that begins by itself.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { bySaying, flow, lastResult } from "./lib/flow.mjs";
import { eventsOf, explainLogFaults, readLog } from "./lib/log.mjs";

const agents = bySaying(
  [/Find the ships/, { text: "Someone else looks.", calls: [{ id: "a1", name: "spawn_agent", args: { task: "Count the ships and write the count down.", write: true } }] }, (asked) => ({ text: `It said: ${lastResult(asked)}` })],
  [/Count the ships/, { text: "I write it down.", calls: [{ id: "w1", name: "fs_write", args: { path: "ships.txt", content: "seven\n" } }] }, { text: "There are seven." }],
);

flow("sub-agents: its card is answered here, and the tree leads to it and back", { model: agents }, async ({ stage, panel, chat, page, folder }) => {
  await panel.send("Find the ships");
  await stage.see("sub-agent");
  await stage.see("approval-card");
  assert.deepEqual(await stage.axe(), []);
  await panel.allow();
  assert.equal(await panel.waitTurn(["complete", "failed"]), "complete");
  assert.equal(readFileSync(path.join(folder, "ships.txt"), "utf8"), "seven\n");
  assert.match((await panel.assistantMessages()).at(-1), /There are seven/);

  // What it did, under its call; it is no session of the list, and stands in the tree.
  await page.$eval("[data-testid=sub-agent] button[aria-expanded]", (button) => button.click());
  await stage.see("agent-steps");
  assert.match((await chat.words("agent-steps"))[0], /I write it down/);
  await chat.say("/agents");
  await stage.see("children-sheet");
  await stage.see("child");
  assert.equal(await page.$eval("[data-testid=child]", (child) => child.dataset.kind), "subagent");
  assert.deepEqual(await stage.axe(), []);
  await chat.click("child");
  await chat.until("the sub-agent's own conversation", async () => (await chat.turns()).at(-1)?.startsWith("Count the ships"));
  await chat.click("open-history");
  await stage.see("session-row");
  assert.equal(await chat.count("session-row"), 1, "a sub-agent is no session of the list");
  await page.$eval("[data-testid=session-row] button", (row) => row.click());
  await chat.until("the conversation it came from", async () => (await chat.turns()).at(-1) === "Find the ships");
  assert.deepEqual(explainLogFaults(await readLog(page)), []);
});

const side = bySaying([/Learn the number/, { text: "The number is seven." }], [/On the side I asked/, { text: "Now I know, too." }], [/What was the number/, { text: "On the side: it was seven." }]);

flow("side thread: asked beside the conversation, put into it through the queue", { model: side }, async ({ stage, panel, chat, page, server }) => {
  await panel.send("Learn the number");
  assert.equal(await panel.waitTurn(["complete"]), "complete");
  await chat.say("/btw What was the number?");
  await stage.see("side-talk");
  await chat.until("its answer", async () => /it was seven/.test((await chat.words("side-talk"))[0] ?? ""));
  assert.deepEqual(await stage.axe(), []);
  assert.deepEqual(await chat.turns(), ["Learn the number"], "the conversation does not see it");
  assert.match(JSON.stringify(server.requests.at(-1).body.messages), /The number is seven/, "it sees the conversation");
  await chat.click("side-insert");
  await chat.until("it to be said", async () => (await chat.turns()).length === 2);
  assert.equal(await panel.waitTurn(["complete"]), "complete");
  assert.match((await panel.assistantMessages()).at(-1), /Now I know/);
  await chat.say("/agents");
  await stage.see("child");
  assert.equal(await page.$eval("[data-testid=child]", (child) => child.dataset.kind), "side");
});

let due = null;
const schedules = bySaying(
  [/Look at the tide in a moment/, () => ({ calls: [{ id: "s1", name: "schedule", args: { title: "The tide", task: "Read the tide table.", at: (due = new Date(Date.now() + 6_000).toISOString()) } }] }), { text: "I will look." }],
  [/every hour/, { calls: [{ id: "s2", name: "schedule", args: { title: "The hours", task: "Read the clock.", every_minutes: 60 } }] }, { text: "I will look every hour." }],
  [/Read the tide table/, { text: "High water at noon." }],
);

flow("schedules: made with consent, begun at its time on its own, paused and removed", { model: schedules }, async ({ stage, panel, chat, page }) => {
  await panel.send("Look at the tide in a moment");
  await panel.waitApproval("schedule");
  await stage.reads("Read the tide table.");
  assert.deepEqual(await stage.axe(), []);
  await panel.allow();
  assert.equal(await panel.waitTurn(["complete", "failed"]), "complete");
  await stage.see("schedule-card");

  // It begins by itself; the conversation it was made in does not see it.
  const ran = () => readLog(page).then((log) => eventsOf(log, "UserMessage").some(({ text }) => text.includes("Read the tide table")));
  await chat.until(`the run that is due at ${due}`, ran, 90_000);
  await chat.until("the run to end", async () => JSON.stringify(await readLog(page)).includes("High water at noon"));
  assert.deepEqual(await chat.turns(), ["Look at the tide in a moment"]);
  await chat.say("/agents");
  await stage.see("child");
  assert.equal(await page.$eval("[data-testid=child]", (child) => child.dataset.kind), "schedule");
  await page.keyboard.press("Escape");
  await chat.until("the sheet to close", async () => (await chat.count("children-sheet")) === 0);

  await panel.send("Look every hour");
  await panel.waitApproval("schedule");
  await panel.allow();
  assert.equal(await panel.waitTurn(["complete", "failed"]), "complete");
  await chat.click("schedule-enabled", -1);
  await chat.until("it paused", () => page.$$eval("[data-testid=schedule-card]", (cards) => cards.at(-1).dataset.enabled === "false"));
  await stage.section("schedules");
  await stage.see("schedule-row");
  await stage.reads("The hours");
  await stage.reads("made by the agent");
  assert.deepEqual(await stage.axe(), []);
  await stage.screen("chat");
  await chat.click("schedule-remove", -1);
  await stage.reads("This schedule was removed.");
});
