// A conversation that goes back and forth, through the real panel, engine and host: queue and steer, undo and redo with its files,
// a message in other words, a question, room made and taken back.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Chat } from "./lib/chat.mjs";
import { flow } from "./lib/flow.mjs";
import { explainLogFaults, readLog } from "./lib/log.mjs";
import { textOf } from "./model-server.mjs";

const QUESTION = { title: "Which colour?", fields: [{ id: "colour", label: "Colour", kind: "choice", options: [{ value: "red", label: "Red" }, { value: "blue", label: "Blue" }] }] };

/** Answers by what was last said, and by whether a result followed it. */
function reply(asked) {
  const [system] = asked.messages;
  const usage = { prompt_tokens: Math.round(JSON.stringify(asked).length / 4), completion_tokens: 20, total_tokens: 0 };
  if (textOf(system).startsWith("You summarise")) return { text: "They greeted each other and changed a note.", usage };
  const place = asked.messages.findLastIndex((message) => message.role === "user");
  const said = textOf(asked.messages[place]);
  const isFirst = asked.messages.at(-1).role === "user";
  if (said.includes("Read slowly")) return isFirst ? { text: "I read, and take my time over it. ".repeat(12), hold: true, usage, calls: [{ id: "r1", name: "fs_read", args: { path: "README.md" } }] } : { text: "Read.", usage };
  if (said.includes("Change the note")) return isFirst ? { usage, calls: [{ id: "e1", name: "fs_edit", args: { path: "note.txt", edits: [{ old_text: "before", new_text: "after" }] } }] } : { text: "Changed.", usage };
  if (said.includes("Ask me")) return isFirst ? { usage, calls: [{ id: "q1", name: "ask_question", args: QUESTION }] } : { text: `You said ${/red|blue/i.exec(textOf(asked.messages.at(-1)))?.[0] ?? "nothing"}.`, usage };
  return { text: `You said: ${said.slice(0, 60)}`, usage };
}

flow("queue, steer, undo, redo, edit, question and compaction do what they say", { model: reply, files: { "note.txt": "before\n" } }, async ({ stage, panel, chat, server, folder }) => {
  const note = () => readFileSync(path.join(folder, "note.txt"), "utf8");

  // While the turn runs: Enter queues, Ctrl+Enter steers; a queued item becomes a steer and back, another is removed.
  await panel.send("Read slowly");
  await panel.page.waitForSelector("[data-testid=stop]");
  await chat.say("Goodbye then");
  await chat.say("never said");
  await chat.say("mind the date", { steer: true });
  await chat.until("three to wait", async () => (await chat.count("queue-item")) === 3);
  await chat.click("queue-kind", 0);
  await chat.until("a second steer", async () => (await chat.count("queue-item", "[data-kind=steer]")) === 2);
  await chat.click("queue-kind", 0);
  await chat.click("queue-remove", 1);
  await chat.until("two to wait", async () => (await chat.count("queue-item")) === 2);
  server.release();
  await chat.until("the queued message to be said", async () => (await chat.turns()).length === 2, 60_000);
  assert.equal(await panel.waitTurn(["complete", "failed"]), "complete");
  assert.deepEqual(await chat.turns(), ["Read slowly", "Goodbye then"]);
  assert.match((await chat.words("steer-message"))[0], /mind the date/);
  assert.equal(server.requests.some((request) => JSON.stringify(request.body).includes("never said")), false);

  // A turn that changed a file is taken back with it, and brought back with it.
  await panel.send("Change the note");
  await panel.waitApproval("fs_edit");
  await panel.allow();
  assert.equal(await panel.waitTurn(["complete", "failed"]), "complete");
  assert.equal(note(), "after\n");
  await chat.turnMenu("turn-undo");
  await chat.until("the look at the files", async () => (await chat.words("undo-files"))[0]?.includes("note.txt"));
  await chat.click("undo-go");
  await chat.until("the turn to be gone", async () => (await chat.turns()).length === 2);
  assert.equal(note(), "before\n");
  await chat.click("bring-back");
  await chat.click("undo-go");
  await chat.until("the turn to be back", async () => (await chat.turns()).length === 3);
  assert.equal(note(), "after\n");

  // A file that changed since is told, and is left as it is when the person says so.
  writeFileSync(path.join(folder, "note.txt"), "mine\n");
  await chat.turnMenu("turn-undo-files");
  await chat.until("the conflict", async () => (await chat.count("undo-skip")) === 1);
  assert.equal(await panel.page.$eval("[data-testid=undo-go]", (button) => button.disabled), true);
  await panel.page.keyboard.press("Escape");
  await chat.until("the sheet to be shut", async () => (await chat.count("undo-sheet")) === 0);
  assert.equal(note(), "mine\n");

  // The same message in other words is a branch of its own; the switch goes back and forth.
  await chat.turnMenu("turn-edit");
  await chat.until("its words to have the focus", () => panel.page.$eval("[data-testid=edit-message-text]", (box) => document.activeElement === box));
  await panel.page.keyboard.type(" in red");
  await chat.until("the other words in the box", () => panel.page.$eval("[data-testid=edit-message-text]", (box) => box.value === "Change the note in red"));
  await chat.click("edit-message-send");
  // There is nothing to change any more: the edit fails by itself, and nobody is asked.
  assert.equal(await panel.waitTurn(["complete", "failed"]), "complete");
  await chat.until("the other words", async () => (await chat.turns()).at(-1) === "Change the note in red");
  assert.equal(await panel.waitTurn(["complete", "failed"]), "complete");
  await chat.click("branch-previous", -1);
  await chat.until("the first words", async () => (await chat.turns()).at(-1) === "Change the note");
  await chat.click("branch-next", -1);
  await chat.until("the other words", async () => (await chat.turns()).at(-1) === "Change the note in red");

  // A question waits, is answered, and stays readable.
  await panel.send("Ask me");
  await panel.page.waitForSelector("[data-testid=question-card]", { timeout: 60_000 });
  await panel.page.$$eval("[data-testid=question-card] input[type=radio]", (inputs) => inputs[1].click());
  await chat.click("question-send");
  assert.equal(await panel.waitTurn(["complete", "failed"]), "complete");
  assert.match((await chat.words("question-answered"))[0], /Blue/);
  assert.match((await panel.assistantMessages()).at(-1), /blue/i);

  // Room is made by a command, and taken back.
  await chat.write("/compact");
  await panel.page.keyboard.press("Enter");
  await chat.until("the summary", async () => (await chat.count("compaction-note")) === 1, 30_000);
  await chat.click("undo-compaction");
  await chat.until("the summary to be gone", async () => (await chat.count("compaction-note")) === 0);

  // The panel is closed and opened: everything is as it was.
  const before = await chat.turns();
  await stage.closePanel();
  const again = new Chat(await stage.openPanel());
  await again.until("the conversation to be back", async () => (await again.turns()).length === before.length);
  assert.deepEqual(explainLogFaults(await readLog(again.page)), []);
});
