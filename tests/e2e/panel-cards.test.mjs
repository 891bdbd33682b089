// What a card can say beyond yes and no, through the real panel, engine and host: one change of two, a rule that holds, other arguments.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { flow } from "./lib/flow.mjs";
import { eventsOf, explainLogFaults, readLog } from "./lib/log.mjs";

const LINES = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`);
const edit = (...pairs) => ({ name: "fs_edit", args: { path: "notes.txt", edits: pairs.map(([old_text, new_text]) => ({ old_text, new_text })) } });

const SCENARIO = [
  { name: "two changes", when: { last: { role: "user", text: /Change both/ } }, reply: { text: "Both at once.", calls: [{ id: "e1", ...edit(["line 3\n", "LINE 3\n"], ["line 33\n", "LINE 33\n"]) }] } },
  { name: "told what was left out", when: { last: { role: "tool", text: /allowed 1 of 2 changes/ } }, reply: { text: "One of them." } },
  { name: "an edit to be remembered", when: { last: { role: "user", text: /line ten/ } }, reply: { calls: [{ id: "e2", ...edit(["line 10\n", "LINE 10\n"]) }] } },
  { name: "the same kind again", when: { last: { role: "tool" } }, reply: { calls: [{ id: "e3", ...edit(["line 11\n", "LINE 11\n"]) }] } },
  { name: "done", when: { last: { role: "tool" } }, reply: { text: "Both are large now." } },
  { name: "an edit to be corrected", when: { last: { role: "user", text: /a new file/ } }, reply: { calls: [{ id: "w1", name: "fs_write", args: { path: "wrong.txt", content: "helo\n" } }] } },
  { name: "corrected", when: { last: { role: "tool" } }, reply: { text: "Written." } },
];

flow("single changes, a rule and other arguments, from the card to the disk", { model: SCENARIO, files: { "notes.txt": `${LINES.join("\n")}\n` } }, async ({ panel, chat, server, folder }) => {
  const notes = () => readFileSync(path.join(folder, "notes.txt"), "utf8");

  // Two changes; the second is left out by keyboard alone: the arrow goes to it, the space bar takes its tick.
  await panel.send("Change both");
  await panel.waitApproval("fs_edit");
  await chat.armed();
  assert.equal(await chat.count("hunk-box"), 2);
  await panel.page.focus("[data-testid=approval-card]");
  for (const key of ["ArrowDown", "ArrowDown", " "]) await panel.page.keyboard.press(key);
  await chat.until("the card to say that one is left out", async () => (await chat.words("approval-allow"))[0].includes("1 of 2"));
  await panel.page.keyboard.press("a");
  assert.equal(await panel.waitTurn(["complete", "failed"]), "complete");
  assert.equal(notes(), `${LINES.join("\n")}\n`.replace("line 3\n", "LINE 3\n"), "one change was made, and the other was not");

  // From now on: the narrowest rule is proposed, and the next call of its kind asks no more.
  await panel.send("Make line ten and eleven large");
  await panel.waitApproval("fs_edit");
  await chat.armed();
  await chat.choose("reach-remember");
  await chat.until("the rules", () => chat.count("rule-option"));
  assert.match((await chat.words("rule-option"))[0], /notes\.txt/);
  assert.match((await chat.words("also-matches"))[0], /earlier call/, "the first edit of this file would have fitted too");
  await chat.click("approval-allow");
  assert.equal(await panel.waitTurn(["complete", "failed"]), "complete");
  assert.match(notes(), /LINE 10\nLINE 11\n/);
  assert.equal(eventsOf(await readLog(panel.page), "ApprovalAnswered").at(-1).by.startsWith("rule:"), true, "the second edit ran by the rule");

  // Other arguments: the host plans again, and its fresh card is what is allowed.
  await panel.send("Write a new file");
  await panel.waitApproval("fs_write");
  await chat.armed();
  await chat.click("approval-edit");
  await replaceField(panel.page, "path", "right.txt");
  await replaceField(panel.page, "content", "hello\n");
  await chat.click("args-send");
  await chat.until("the fresh card", async () => (await panel.approvalCards())[0]?.words.includes("right.txt"));
  await panel.allow();
  assert.equal(await panel.waitTurn(["complete", "failed"]), "complete");
  assert.equal(readFileSync(path.join(folder, "right.txt"), "utf8"), "hello\n");
  assert.throws(() => readFileSync(path.join(folder, "wrong.txt")), /ENOENT/);

  assert.deepEqual(server.problems, []);
  assert.deepEqual(explainLogFaults(await readLog(panel.page)), []);
});

async function replaceField(page, name, value) {
  const field = `[data-testid=arg-field][data-name=${name}]`;
  await page.waitForSelector(field);
  await page.click(field);
  await page.keyboard.down("Control");
  await page.keyboard.press("a");
  await page.keyboard.up("Control");
  await page.keyboard.press("Backspace");
  for (const line of value.split("\n").entries()) {
    if (line[0] > 0) await page.keyboard.press("Enter");
    await page.keyboard.type(line[1]);
  }
}
