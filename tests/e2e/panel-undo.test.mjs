// Going back over files that someone changed since, in both browsers over the real host: nothing happens by itself, and the person
// may leave such a file as it is and undo the rest, or have it replaced, and have the replaced one back. From the turn's menu, and from the
// changes.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { bySaying, flow } from "./lib/flow.mjs";

const files = { "one.txt": "one\n", "two.txt": "two\n" };
const edit = (file, from, to) => ({ id: `e-${file}-${to}`, name: "fs_edit", args: { path: file, edits: [{ old_text: from, new_text: to }] } });
const create = (file) => ({ id: `c-${file}`, name: "fs_write", args: { path: file, content: "new\n" } });
const model = bySaying(
  [/Change both/, { text: "Both.", calls: [edit("one.txt", "one", "ONE"), edit("two.txt", "two", "TWO"), create("three.txt")] }, { text: "Both are large." }],
  [/Change the first/, { text: "One.", calls: [edit("one.txt", "mine", "YOURS")] }, { text: "It is large." }],
);

flow("undo past a file that changed since: left as it is, or replaced", { model, files }, async ({ stage, panel, chat, folder }) => {
  const read = (file) => readFileSync(path.join(folder, file), "utf8");
  const write = (file, content) => writeFileSync(path.join(folder, file), content);
  const isShut = (sheet) => chat.until(`${sheet} to be shut`, async () => (await chat.count(sheet)) === 0);
  const goes = async (button) => panel.page.$eval(`[data-testid=${button}]`, (each) => !each.disabled);
  // Of a file, or of the whole turn: pressed when it can be, for what was done before has to be known first.
  const ofFile = (file, button) => chat.press(`[data-path='${file}'] [data-testid=${button}]`);
  await chat.click("mode-switch");
  await stage.see("mode-switch-option");
  await chat.press("[data-testid=mode-switch-option][data-value=accept_edits]");
  await chat.until("accept edits", async () => /Accept/.test((await chat.words("mode-switch"))[0]));
  assert.equal(await chat.turn("Change both"), "complete");
  assert.deepEqual([read("one.txt"), read("two.txt"), read("three.txt")], ["ONE\n", "TWO\n", "new\n"]);

  // Nothing is chosen for the person; what they leave is left, the rest goes back.
  write("one.txt", "mine\n");
  await chat.turnMenu("turn-undo-files");
  await stage.see("conflict-choice");
  assert.deepEqual(await stage.axe(), []);
  assert.equal(await goes("undo-go"), false);
  assert.equal(await chat.count("undo-files", " [data-conflict=true]"), 1);
  await chat.click("undo-skip");
  await chat.click("undo-go");
  await isShut("undo-sheet");
  assert.deepEqual([read("one.txt"), read("two.txt"), existsSync(path.join(folder, "three.txt"))], ["mine\n", "two\n", false]);
  await chat.until("the note that one was left", async () => (await chat.words("undone-note")).some((words) => /2 files.*1 file/s.test(words)));

  // The same turn from the changes: now the one file that is left is replaced.
  await stage.press("tab-changes");
  await chat.until("which files are back, and which is not", async () => {
    const rows = await panel.page.$$eval("[data-testid=changed-file]", (found) => found.map((row) => `${row.dataset.path} ${row.dataset.undone}`));
    return rows.toSorted().join() === "one.txt false,three.txt true,two.txt true";
  });
  assert.deepEqual([await chat.count("file-take-back"), await chat.count("file-bring-back")], [1, 2]);
  assert.deepEqual(await stage.axe(), []);
  // One of those that are back alone is changed again, and put back again.
  await ofFile("two.txt", "file-bring-back");
  await chat.until("the one file as the turn left it", () => read("two.txt") === "TWO\n");
  await ofFile("two.txt", "file-take-back");
  await chat.until("the one file as before the turn", () => read("two.txt") === "two\n");
  await chat.until("it to be told as back", () => panel.page.$("[data-path='two.txt'][data-undone=true]"));
  await stage.press("turn-take-back");
  await stage.see("conflict-sheet");
  assert.deepEqual(await stage.axe(), []);
  assert.equal(await goes("conflict-go"), false);
  assert.equal(read("one.txt"), "mine\n");
  await chat.click("undo-overwrite");
  const held = panel.page.evaluate(holdReceipt, "[data-testid=receipt] button");
  await chat.click("conflict-go");
  await chat.until("the file as before the turn", () => read("one.txt") === "one\n");
  await isShut("conflict-sheet");
  await chat.until("the turn as undone", () => panel.page.$eval("[data-testid=turn-changes]", (turn) => turn.dataset.state === "undone"));

  // What was replaced is kept: the receipt brings it back, and so does what stands with the turn, also after a reload.
  await held;
  await chat.press("[data-testid=receipt] button");
  await chat.until("the replaced file to be back", () => read("one.txt") === "mine\n");
  assert.deepEqual([read("two.txt"), existsSync(path.join(folder, "three.txt"))], ["two\n", false]);
  await stage.press("turn-take-back");
  await stage.see("conflict-sheet");
  await chat.click("undo-overwrite");
  await chat.click("conflict-go");
  await chat.until("the file to be replaced again", () => read("one.txt") === "one\n");
  await stage.see("turn-replaced");
  assert.deepEqual(await stage.axe(), []);
  write("one.txt", "between\n");
  await stage.press("turn-bring-replaced");
  await stage.see("conflict-sheet");
  assert.equal(read("one.txt"), "between\n");
  await chat.click("undo-overwrite");
  await chat.click("conflict-go");
  await chat.until("the older one to be back", () => read("one.txt") === "mine\n");
  await isShut("conflict-sheet");
  // That replaced something too, which comes back the same way, from the conversation this time.
  await stage.press("tab-chat");
  await chat.turnMenu("turn-bring-replaced");
  await stage.see("undo-files");
  assert.deepEqual(await stage.axe(), []);
  await chat.click("undo-go");
  await chat.until("what stood between to be back", () => read("one.txt") === "between\n");
  await isShut("undo-sheet");
  write("one.txt", "one\n");
  await stage.press("tab-changes");

  // And the other way: what was undone and changed since comes back over it only when that is chosen.
  write("two.txt", "mine\n");
  await stage.press("turn-take-back");
  await stage.see("conflict-sheet");
  await chat.click("undo-skip");
  await chat.click("conflict-go");
  await chat.until("the other file as the turn left it", () => existsSync(path.join(folder, "three.txt")));
  // What stood in the first one was not ours when it was replaced, so the turn's own bytes of it are kept nowhere.
  assert.deepEqual([read("one.txt"), read("two.txt")], ["one\n", "mine\n"]);
  await stage.press("tab-chat");

  // By keyboard alone, conversation and files: the choice is a radio group, and Enter on the button does it.
  write("one.txt", "mine\n");
  assert.equal(await chat.turn("Change the first"), "complete");
  assert.equal(read("one.txt"), "YOURS\n");
  write("one.txt", "mine again\n");
  await chat.turnMenu("turn-undo");
  await stage.see("conflict-choice");
  const at = () => panel.page.evaluate(() => document.activeElement?.dataset.testid ?? null);
  for (let stops = 0; stops < 12 && !(await at())?.startsWith("undo-skip"); stops += 1) await panel.page.keyboard.press("Tab");
  await panel.page.keyboard.press("ArrowDown");
  await chat.until("the other choice", () => panel.page.$eval("[data-testid=undo-overwrite]", (radio) => radio.checked));
  for (let stops = 0; stops < 12 && (await at()) !== "undo-go"; stops += 1) await panel.page.keyboard.press("Tab");
  await panel.page.keyboard.press("Enter");
  await isShut("undo-sheet");
  assert.equal(read("one.txt"), "mine\n");
  await chat.until("the turn to be taken back", async () => (await chat.turns()).length === 1);
});

/** Runs in the page: the receipt that comes next has the focus, so that it stays however slow the machine is. */
function holdReceipt(action) {
  const before = document.querySelector(action);
  return new Promise((resolve) => {
    const look = () => {
      const button = document.querySelector(action);
      if (button === null || button === before || button.closest("[role=dialog]") !== null) return void setTimeout(look, 20);
      button.focus();
      resolve();
    };
    look();
  });
}
