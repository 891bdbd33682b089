// What a card can say beyond yes and no, through the real panel, engine and host: one change of two, a rule that holds, other arguments.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Chat } from "./lib/chat.mjs";
import { coverOfFocus } from "./lib/covered.mjs";
import { bySaying, flow } from "./lib/flow.mjs";
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

const written = Array.from({ length: 60 }, (_, index) => `row ${index}\n`).join("");
const still = bySaying(
  [/Write a long one/, { text: "Here it is.", calls: [{ id: "l1", name: "fs_write", args: { path: "long.txt", content: written } }] }, { text: "Written." }],
  [/Write a short one/, { text: "And this.", calls: [{ id: "s1", name: "fs_write", args: { path: "short.txt", content: "short\n" } }] }, { text: "Written.\n\n".repeat(30) }],
);

flow("what comes and goes beside a card moves none of its answers, and covers none", { model: still }, async ({ stage, panel, chat, page, folder }) => {
  const large = stage.scratch.path("large.txt");
  writeFileSync(large, "x".repeat(600_000));
  const receipts = (tone) => chat.count("receipt", `[data-tone=${tone}]`);
  const uncovered = (names) => page.evaluate(coveredOf, names);
  // From now on, on a card with room below it: the rules come a moment later, and the answers stay where the choice put them.
  await panel.send("Write a short one");
  await panel.waitApproval("fs_write");
  await chat.armed();
  await page.waitForSelector("[data-testid=reach-remember]");
  await page.$eval("[data-testid=reach-remember] input", (input) => input.click());
  await page.evaluate(watchAnswers);
  await chat.until("the rules", () => chat.count("rule-option"));
  await chat.until("what the rule would have let through", () => chat.count("also-matches"));
  await replaceText(page, "[data-testid=rule-path]", "short.*");
  await chat.until("Allow", () => page.$eval("[data-testid=approval-allow]", (button) => !button.disabled));
  assert.deepEqual((await page.evaluate(() => globalThis.answerPlaces())).slice(1), [], "the answers stood still");
  await chat.click("approval-allow");
  assert.equal(await panel.waitTurn(["complete", "failed"]), "complete");
  assert.equal(readFileSync(path.join(folder, "short.txt"), "utf8"), "short\n");

  await panel.send("Write a long one");
  await panel.waitApproval("fs_write");
  await panel.readApproval();
  await chat.until("the receipts of the beginning to be gone", async () => (await chat.count("receipt")) === 0);

  // What went wrong and what went well, one after the other; the second leaves by itself.
  await page.evaluate(watchAnswers);
  await (await page.$("[data-testid=attach-picker]")).uploadFile(large);
  await stage.see("receipt-close");
  assert.deepEqual(await uncovered(["approval-allow", "approval-deny", "receipt-close"]), []);
  await page.focus("[data-testid=approval-card]");
  // Out of the card; then it would stop the agent, and asks.
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await chat.until("both receipts", async () => (await receipts("good")) === 1 && (await receipts("bad")) === 1);
  assert.deepEqual(await uncovered(["approval-allow", "approval-deny", "receipt-close"]), []);
  assert.deepEqual(await stage.axe(), []);
  await chat.until("the good one to leave", async () => (await receipts("good")) === 0);
  assert.equal((await page.evaluate(() => globalThis.answerPlaces())).length, 1, "the answers stood still");
  // Wherever the card is scrolled to, its answers are free.
  for (const top of [0, 150, 300, 600, 5_000]) {
    await page.$eval("[data-testid=transcript]", (box, place) => box.scrollTo({ top: place }), top);
    await page.evaluate(nextPictures);
    assert.deepEqual(await uncovered(["approval-allow", "approval-deny", "receipt-close"]), [], `scrolled to ${top}`);
  }
  // With its beginning alone in sight its foot would stand over its head: what a key comes to there is brought out.
  for (const shown of [30, 60, 120]) {
    await page.$eval("[data-testid=approval-card]", (card) => card.focus({ preventScroll: true }));
    await page.$eval("[data-testid=transcript]", (box, rows) => box.scrollBy({ top: document.querySelector("[data-testid=approval-card]").getBoundingClientRect().top - box.getBoundingClientRect().bottom + rows }), shown);
    await page.evaluate(nextPictures);
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement?.dataset.testid), "approval-edit");
    assert.equal(await page.evaluate(coverOfFocus), null, `${shown} px of it in sight`);
  }
  // By keyboard: from the card to the receipt, which is shut.
  await page.focus("[data-testid=approval-card]");
  const at = () => page.evaluate(() => document.activeElement?.dataset.testid ?? null);
  for (let stops = 0; stops < 4 && (await at()) !== "receipt-close"; stops += 1) await page.keyboard.press("F6");
  assert.equal(await at(), "receipt-close");
  await page.keyboard.press("Enter");
  await chat.until("no receipt", async () => (await chat.count("receipt")) === 0);

  await panel.allow();
  assert.equal(await panel.waitTurn(["complete", "failed"]), "complete");
  assert.equal(readFileSync(path.join(folder, "long.txt"), "utf8"), written);
});

/** Runs in the page: from now on every place where the answers of a card stand is noted, picture by picture. */
function watchAnswers() {
  const watch = {};
  globalThis.answerWatch = watch;
  const seen = new Set();
  const look = () => {
    const places = [...document.querySelectorAll("[data-testid=approval-allow], [data-testid=approval-deny]")].map((button) => {
      const { left, top, bottom } = button.getBoundingClientRect();
      return [left, top, bottom].map(Math.round).join();
    });
    seen.add(places.join(" "));
    if (globalThis.answerWatch === watch) later();
  };
  // After each picture, so that it is what a person sees.
  const later = () => requestAnimationFrame(() => setTimeout(look));
  later();
  globalThis.answerPlaces = () => [...seen];
}

/** Runs in the page: names of what cannot be pressed at its middle. */
function coveredOf(names) {
  return names.filter((name) => {
    const button = document.querySelector(`[data-testid=${name}]`);
    const { left, top, width, height } = button.getBoundingClientRect();
    const box = button.closest("[data-testid=transcript]")?.getBoundingClientRect();
    // What is scrolled out of sight is covered by nothing.
    if (box !== undefined && (top < box.top || top + height > box.bottom)) return false;
    return !button.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  });
}

/** Runs in the page: what floats has looked where it may stand. */
function nextPictures() {
  return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}

async function replaceField(page, name, value) {
  await replaceText(page, `[data-testid=arg-field][data-name=${name}]`, value);
}

async function replaceText(page, field, value) {
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

flow("what was chosen on a card outlives the panel", { model: SCENARIO, files: { "notes.txt": `${LINES.join("\n")}\n` } }, async ({ stage, panel, chat, page, folder }) => {
  await panel.send("Change both");
  await panel.waitApproval("fs_edit");
  await chat.armed();
  await page.$$eval("[data-testid=hunk-box]", (boxes) => boxes.at(-1).click());
  await chat.until("the card to say that one is left out", async () => (await chat.words("approval-allow"))[0].includes("1 of 2"));
  await stage.closePanel();
  const again = new Chat(await stage.openPanel());
  await again.until("it to be left out still", async () => ((await again.words("approval-allow"))[0] ?? "").includes("1 of 2"));
  await again.panel.allow();
  assert.equal(await again.panel.waitTurn(["complete", "failed"]), "complete");
  assert.equal(readFileSync(path.join(folder, "notes.txt"), "utf8"), `${LINES.join("\n")}\n`.replace("line 3\n", "LINE 3\n"));
});
