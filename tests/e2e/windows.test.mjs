// Row 42 (wishes 5, 12): several windows at once. Of one session: both live, one writer, a card that is answered in one is gone in the
// other, and what it allowed runs once, also where both answer in the same moment. Of two sessions: each goes on, whatever is closed.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { Chat } from "./lib/chat.mjs";
import { bySaying, flow } from "./lib/flow.mjs";
import { eventsOf, explainLogFaults, readLog } from "./lib/log.mjs";
import { EXTENSION_ID } from "./lib/places.mjs";
import { Panel } from "./lib/panel.mjs";
import { waitUntil } from "./lib/wait.mjs";

const ROUNDS = 4;
const COUNTING = `import { appendFileSync } from "node:fs"; appendFileSync("ran.log", "ran\\n"); console.log("counted");\n`;
const config = '[[command]]\nid = "count"\nprogram = "node"\nargs = ["count.mjs"]\n';
const slowly = (words) => Array.from({ length: words }, (_, place) => `wave ${place}`).join(", ");
const model = bySaying(
  [/Count it/, (asked) => ({ text: "I count.", calls: [{ id: `c${asked.messages.length}`, name: "exec_run", args: { command: "count" } }] }), { text: "Counted." }],
  // Longer than any browser takes to open a window: it is stopped.
  [/Read slowly/, { text: slowly(4_000), chunkMs: 60 }],
  [/Write one/, { text: slowly(40), chunkMs: 50, calls: [{ id: "w1", name: "fs_write", args: { path: "one.txt", content: "one\n" } }] }, { text: "Wrote one." }],
  [/Write two/, { text: slowly(40), chunkMs: 50, calls: [{ id: "w2", name: "fs_write", args: { path: "two.txt", content: "two\n" } }] }, { text: "Wrote two." }],
);

/** A window of its own with the panel: the real one in Chromium, its page in Firefox, whose sidebar no driver reaches. */
async function openWindow(stage, hash = "") {
  const { browser } = stage.browser;
  const page = await browser.newPage({ type: "window" });
  if (stage.name === "firefox") {
    await stage.browser.goToPanel(page);
    return shown(page, hash);
  }
  await page.goto("about:blank");
  await page.bringToFront();
  const known = new Set(browser.targets());
  const extension = (await browser.extensions()).get(EXTENSION_ID);
  const target = await waitUntil("the panel of the second window", async () => {
    await extension.triggerAction(page);
    return browser.waitForTarget((candidate) => !known.has(candidate) && candidate.url().includes("sidepanel.html"), { timeout: 15_000 });
  });
  return shown(await target.asPage(), hash);
}

async function shown(page, hash) {
  await page.waitForSelector("[data-testid=connection-status]", { timeout: 60_000 });
  if (hash !== "") await page.evaluate((place) => (location.hash = place), hash);
  const panel = new Panel(page);
  await panel.waitConnected();
  return { page, panel, chat: new Chat(panel) };
}

const hashOf = (page) => page.evaluate(() => location.hash);

/** Who writes which session, as the browser knows it. */
async function writers(page) {
  const { held } = await page.evaluate(() => navigator.locks.query());
  return held.filter(({ name }) => name.startsWith("outrigger.session."));
}

async function sameInBoth(one, other) {
  const picture = async ({ panel }) => {
    const { turns, tools, approvals, messages } = await panel.snapshot();
    return JSON.stringify({ turns, tools: tools.map(({ tool, state, call }) => [tool, state, call]), approvals: approvals.map(({ call }) => call), messages });
  };
  await waitUntil("the same in both windows", async () => (await picture(one)) === (await picture(other)), { describe: async () => `${await picture(one)}\n${await picture(other)}` });
}

flow("two windows of one session: both live, each answer counts once", { model, files: { "count.mjs": COUNTING }, config }, async ({ stage, panel, chat, page, folder }) => {
  const first = { page, panel, chat };
  await panel.send("Read slowly");
  await page.waitForSelector("[data-testid=stop]");
  const second = await openWindow(stage, await hashOf(page));
  await second.page.waitForSelector("[data-testid=assistant-message]", { timeout: 60_000 });
  const words = ({ page: of }) => of.$eval("[data-testid=assistant-message]", (message) => message.innerText.length);
  const before = [await words(first), await words(second)];
  await waitUntil("more of the answer in both", async () => (await words(first)) > before[0] && (await words(second)) > before[1]);
  await second.panel.stop();
  assert.equal(await panel.waitTurn(["complete", "cancelled"]), "cancelled");
  assert.equal(await second.panel.waitTurn(["complete", "cancelled"]), "cancelled");
  await sameInBoth(first, second);

  const runs = () => (existsSync(path.join(folder, "ran.log")) ? readFileSync(path.join(folder, "ran.log"), "utf8").split("\n").length - 1 : 0);
  let allowed = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const [asks, listens] = round % 2 === 0 ? [first, second] : [second, first];
    const turns = (await first.panel.turnStates()).length;
    await asks.panel.send("Count it");
    await Promise.all([asks.panel.waitApproval("exec_run"), listens.panel.waitApproval("exec_run")]);
    await Promise.all([first.panel.readApproval(), second.panel.readApproval()]);
    const press = ({ page: of }, button) => of.$eval(`[data-testid=approval-card] [data-testid=approval-${button}]`, (control) => control.click());
    if (round < 2) {
      // Answered in the one that did not ask: gone in the other.
      await press(listens, "allow");
    } else {
      // In the same moment, the same and the opposite.
      await Promise.allSettled([press(first, "allow"), press(second, round === 2 ? "allow" : "deny")]);
    }
    await waitUntil("no card in either", async () => (await first.chat.count("approval-card")) === 0 && (await second.chat.count("approval-card")) === 0);
    for (const { panel: each } of [first, second]) {
      await waitUntil("the turn in both", async () => (await each.turnStates()).length === turns + 1);
      assert.equal(await each.waitTurn(["complete", "failed"]), "complete");
    }
    const log = await readLog(page);
    const answers = eventsOf(log, "ApprovalAnswered");
    assert.equal(answers.length, round + 1, "each card was answered once");
    if (answers.at(-1).decision === "allow") allowed += 1;
    assert.equal(runs(), allowed, "what was allowed ran once, what was denied not at all");
    assert.deepEqual(explainLogFaults(log), []);
  }
  await sameInBoth(first, second);
  const session = (await readLog(page))[0].session;
  const held = (await writers(page)).filter(({ name }) => name.endsWith(session));
  assert.equal(held.length, 1, "one writer");
  assert.deepEqual(await writers(second.page), await writers(page), "the same for both windows");
});

flow("two windows with a session each: both go on at once, also when one is closed", { model }, async ({ stage, panel, page, folder }) => {
  const second = await openWindow(stage);
  await panel.send("Write one");
  await second.panel.newSession().catch(() => {});
  await second.panel.send("Write two");
  await Promise.all([page.waitForSelector("[data-testid=stop]"), second.page.waitForSelector("[data-testid=stop]")]);
  await Promise.all([panel.waitApproval("fs_write"), second.panel.waitApproval("fs_write")]);
  const [one] = await panel.approvalCards();
  const [two] = await second.panel.approvalCards();
  assert.match(one.words, /one\.txt/);
  assert.match(two.words, /two\.txt/);
  assert.notEqual(one.call, two.call);
  const names = (await writers(page)).map(({ name }) => name);
  assert.equal(new Set(names).size, 2, "a writer for each session");
  assert.equal(new Set((await writers(page)).map(({ clientId }) => clientId)).size, 1, "the one engine is both");
  await Promise.all([panel.allow(), second.panel.allow()]);
  await second.page.close();
  assert.equal(await panel.waitTurn(["complete"]), "complete");
  await waitUntil("the end of the other session", async () => eventsOf(await readLog(page), "TurnEnd").length === 2);
  assert.equal(readFileSync(path.join(folder, "one.txt"), "utf8"), "one\n");
  assert.equal(readFileSync(path.join(folder, "two.txt"), "utf8"), "two\n");
  const log = await readLog(page);
  assert.deepEqual(explainLogFaults(log), []);
  assert.deepEqual(eventsOf(log, "TurnEnd").map(({ outcome }) => outcome), ["complete", "complete"]);
  assert.equal(new Set(log.map(({ session }) => session)).size, 2);
});
