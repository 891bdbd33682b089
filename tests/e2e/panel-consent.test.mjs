// How far a consent reaches: for a while, in which mode, after a note; and how a question lives and ends.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { Chat } from "./lib/chat.mjs";
import { bySaying, flow, lastResult } from "./lib/flow.mjs";
import { eventsOf, readLog } from "./lib/log.mjs";

const write = (id, file, content = "x\n") => ({ id, name: "fs_write", args: { path: file, content } });
const consent = bySaying(
  [/Write one/, { calls: [write("w1", "one.txt")] }, { calls: [write("w2", "two.txt")] }, { text: "Both are there." }],
  [/Write three/, { calls: [write("w3", "three.txt")] }, (asked) => ({ text: `The host said: ${lastResult(asked).slice(0, 200)}` })],
  [/Write many/, { calls: [write("m1", "a.txt"), write("m2", "b.txt")] }, (asked) => ({ text: `I heard: ${lastResult(asked).slice(0, 300)}` })],
);

flow("leases: for a while nothing of its kind asks, the time is shown, and it ends at once", { model: consent }, async ({ stage, panel, chat, page, folder }) => {
  await panel.send("Write one and two");
  await panel.waitApproval("fs_write");
  await chat.armed();
  await chat.choose("reach-lease");
  await stage.see("lease-panel");
  await chat.choose("lease-minutes");
  assert.deepEqual(await stage.axe(), []);
  await panel.allow();
  assert.equal(await panel.waitTurn(["complete", "failed"]), "complete");
  assert.ok(existsSync(path.join(folder, "two.txt")), "the second did not ask");
  assert.match(eventsOf(await readLog(page), "ApprovalAnswered").at(-1).by, /^lease/);
  await stage.see("lease-strip");
  assert.match((await chat.words("lease-strip"))[0], /4:\d\d left · \d of 50 calls/);
  assert.deepEqual(await stage.axe(), []);
  await chat.click("lease-end");
  await chat.until("the lease gone", async () => (await chat.count("lease-strip")) === 0);
  await panel.send("Write three");
  await panel.waitApproval("fs_write");
  await panel.denyWithNote("Three is enough of it");
  assert.equal(await panel.waitTurn(["complete", "failed"]), "complete");
  assert.match((await panel.assistantMessages()).at(-1), /Three is enough of it/);
});

flow("modes: plan reads only, accept edits runs them, ask asks; a batch is denied as one, and asks once more, or allowed in part", { model: consent }, async ({ stage, panel, chat, page, folder }) => {
  await chat.say("/plan");
  await chat.until("plan mode", async () => /Plan/.test((await chat.words("mode-switch"))[0]));
  assert.equal(await chat.turn("Write three"), "complete");
  assert.equal(existsSync(path.join(folder, "three.txt")), false);
  await chat.click("mode-switch");
  await chat.until("the modes", () => chat.count("mode-switch-option"));
  await page.$$eval("[data-testid=mode-switch-option]", (options) => options.find((option) => option.dataset.value === "accept_edits").click());
  await chat.until("accept edits", async () => /Accept/.test((await chat.words("mode-switch"))[0]));
  assert.equal(await chat.turn("Write three"), "complete");
  assert.ok(existsSync(path.join(folder, "three.txt")));
  await chat.say("/ask");
  await chat.until("ask mode", async () => /Ask/.test((await chat.words("mode-switch"))[0]));
  await panel.send("Write many");
  await stage.see("approval-card");
  await chat.armed();
  assert.equal((await panel.approvalCards()).length, 1, "one card for the step");
  assert.deepEqual(await stage.axe(), []);
  const places = () => page.$$eval("[data-testid=approval-allow], [data-testid=approval-deny], [data-testid=approval-deny-note]", (buttons) => buttons.map((button) => { const { x, y, width, height } = button.getBoundingClientRect(); return [x, y, width, height].map(Math.round); }));
  const before = await places();
  await chat.click("approval-deny");
  await stage.reads("Really all?");
  assert.deepEqual(await places(), before, "no button moves where it asks once more");
  await page.waitForSelector("[data-testid=approval-deny][data-asks=ready]");
  await chat.click("approval-deny");
  assert.equal(await panel.waitTurn(["complete", "failed"]), "complete");
  assert.equal(existsSync(path.join(folder, "a.txt")) || existsSync(path.join(folder, "b.txt")), false);

  // Of the same two, one is left out: it alone is denied.
  await panel.send("Write many");
  await chat.until("both on one card", async () => (await chat.count("call-box")) === 2);
  await chat.armed();
  await chat.click("call-box", 1);
  await chat.until("the card to say that one is left out", async () => (await chat.words("approval-allow"))[0].includes("1 of 2"));
  await panel.allow();
  assert.equal(await panel.waitTurn(["complete", "failed"]), "complete");
  assert.deepEqual([existsSync(path.join(folder, "a.txt")), existsSync(path.join(folder, "b.txt"))], [true, false]);
});

const FORM = {
  title: "How shall the harbour be called?",
  link: "https://example.org/names",
  fields: [
    { id: "name", label: "Name", kind: "text" },
    { id: "flags", label: "Flags", kind: "choices", options: [{ value: "red", label: "Red" }, { value: "blue", label: "Blue" }], required: false },
    { id: "open", label: "Open at night", kind: "yes_no" },
  ],
};
const asking = bySaying(
  [/Ask me all/, { text: "One thing.", calls: [{ id: "q1", name: "ask_question", args: FORM }] }, (asked) => ({ text: `Heard: ${lastResult(asked)}` })],
  [/Ask and be stopped/, { calls: [{ id: "q2", name: "ask_question", args: FORM }] }, { text: "Never said." }],
  [/Ask me once more/, { calls: [{ id: "q3", name: "ask_question", args: FORM }] }, { text: "Then not." }],
);

flow("questions: active, through a reload, answered and locked; not answered; stopped", { model: asking }, async ({ stage, panel, chat }) => {
  await panel.send("Ask me all");
  await stage.see("question-card");
  await stage.reads("example.org");
  assert.deepEqual(await stage.axe(), []);

  // The panel is closed and opened: the question still waits.
  await stage.closePanel();
  const reopened = await stage.openPanel();
  const again = new Chat(reopened);
  await stage.see("question-card");
  const page = stage.page;
  await page.focus("[data-testid=question-card] textarea");
  await page.keyboard.type("Seven Ships");
  assert.equal(await page.$eval("[data-testid=question-send]", (button) => button.disabled), true, "what has to be answered is not answered yet");
  await page.$$eval("[data-testid=question-card] input[type=checkbox]", (boxes) => boxes.forEach((box) => box.click()));
  await page.$eval("[data-testid=question-card] input[type=radio]", (radio) => radio.click());
  await again.click("question-send");
  assert.equal(await reopened.waitTurn(["complete", "failed"]), "complete");
  assert.match((await reopened.assistantMessages()).at(-1), /Seven Ships.*red.*blue.*true/s);
  const locked = await page.$eval("[data-testid=question-answered]", (card) => ({ status: card.dataset.status, words: card.innerText, controls: card.querySelectorAll("input, button, textarea").length }));
  assert.deepEqual([locked.status, locked.controls], ["completed", 0]);
  assert.match(locked.words, /Seven Ships[\s\S]*Red, Blue/);
  assert.deepEqual(await stage.axe(), []);

  await reopened.send("Ask me once more");
  await stage.see("question-card");
  await again.click("question-skip");
  assert.equal(await reopened.waitTurn(["complete", "failed"]), "complete");
  assert.equal(await page.$$eval("[data-testid=question-answered]", (cards) => cards.at(-1).dataset.status), "cancelled");

  await reopened.send("Ask and be stopped");
  await stage.see("question-card");
  await reopened.stop();
  await reopened.waitTurn(["cancelled"]);
  await again.until("no question to wait", async () => (await again.count("question-card")) === 0);
});
