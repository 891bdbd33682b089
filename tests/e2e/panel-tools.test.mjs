// The rest of what is around a conversation: its commands, what the model is sent and what that costs, the terminal, the folders, the tab, the calls for attention.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import path from "node:path";
import { bySaying, flow, lastResult } from "./lib/flow.mjs";
import { outrigger } from "./lib/host.mjs";
import { eventsOf, readLog } from "./lib/log.mjs";
import { Panel } from "./lib/panel.mjs";
import { waitUntil } from "./lib/wait.mjs";
import { makeSample } from "./lib/workspace.mjs";

/** Words that take their time; no two alike, for an answer that repeats itself is ended. */
const slowly = (count) => Array.from({ length: count }, (_, index) => `Wave ${index + 1} of ${count * 3}.`).join(" ");

const hello = bySaying([/Hello/, { text: "Good morning." }]);

flow("command palette: by keys and by mouse, with choices, and shut without a trace", { model: hello }, async ({ stage, panel, chat, page }) => {
  assert.equal(await chat.turn("Hello"), "complete");
  await chat.write("/");
  await stage.see("palette");
  assert.deepEqual(await stage.axe(), []);
  const names = await page.$$eval("[data-testid=palette-option]", (options) => options.map((option) => option.dataset.name));
  for (const name of ["btw", "plan", "undo", "tree", "compact", "prompt", "cost", "model", "profile", "schedule"]) assert.ok(names.includes(name), name);
  await page.keyboard.press("Escape");
  await chat.until("the palette to close", async () => (await chat.count("palette")) === 0);
  await page.keyboard.press("Backspace");
  await chat.write("/prof");
  await page.keyboard.press("Enter");
  await chat.until("the profiles", async () => (await chat.count("palette-option")) === 3);
  await page.keyboard.type("rev");
  await page.keyboard.press("Enter");
  await chat.until("the profile", async () => /Review/.test((await chat.words("profile-select"))[0]));
  await chat.click("palette-open");
  await stage.see("palette");
  await page.$eval("[data-testid=palette-option][data-name=tree]", (option) => option.click());
  await stage.see("branch-tree");
  assert.deepEqual(await stage.axe(), []);
  await page.keyboard.press("Escape");
  assert.equal(eventsOf(await readLog(page), "UserMessage").length, 1, "no command was said to the model");
});

flow("prompt inspector, context and cost: each part with its source, and nothing that is not known is zero", { model: hello }, async ({ stage, panel, chat, page }) => {
  assert.equal(await chat.turn("Hello"), "complete");
  await chat.say("/prompt");
  await stage.see("prompt-part");
  const parts = await chat.words("prompt-part");
  assert.ok(parts.length >= 4, JSON.stringify(parts));
  assert.ok(parts.some((part) => /fs_read/.test(part)), "the tools are parts as well");
  assert.deepEqual(await stage.axe(), []);
  await page.$$eval("[data-testid=prompt-part] button", (buttons) => buttons.at(-1).click());
  await page.keyboard.press("Escape");
  await chat.until("the sheet to close", async () => (await chat.count("context-sheet")) === 0);
  await chat.click("context-meter");
  await stage.see("context-use");
  assert.deepEqual(await stage.axe(), []);
  await page.keyboard.press("Escape");
  await chat.until("the sheet to close", async () => (await chat.count("context-sheet")) === 0);
  await chat.say("/cost");
  await stage.see("cost-view");
  assert.doesNotMatch((await chat.words("cost-view"))[0], /\$0\.00/);
  assert.match((await chat.words("cost-view"))[0], /20/);
  assert.deepEqual(await stage.axe(), []);
});

const SLOW = `let at = 0;\nprocess.stdout.write("\\u001b[32mtide\\u001b[0m begins\\n");\nsetInterval(() => process.stdout.write(\`wave \${(at += 1)}\\r\`), 200);\nsetTimeout(() => {}, 120_000);\n`;
const runs = bySaying([/Wait for the tide/, { text: "I wait.", calls: [{ id: "x1", name: "exec_run", args: { command: "tide" } }] }, (asked) => ({ text: `It ended: ${lastResult(asked).slice(0, 400)}` })],
  [/Leave the tide/, { text: "It may go on.", calls: [{ id: "x2", name: "exec_run", args: { command: "tide", background: true, wait_ms: 300 } }] }, { text: "It goes on." }]);

flow("terminal: live output in colours, and an end to a command", { model: runs, files: { "tide.mjs": SLOW }, config: '[[command]]\nid = "tide"\nprogram = "node"\nargs = ["tide.mjs"]\n' }, async ({ stage, panel, chat, page }) => {
  await panel.send("Wait for the tide");
  await panel.waitApproval("exec_run");
  await panel.allow();
  await stage.press("tab-terminal");
  await stage.see("command");
  await chat.until("output while it runs", async () => /tide begins[\s\S]*wave \d/.test((await chat.words("command"))[0] ?? ""));
  assert.ok(await page.$eval("[data-testid=command]", (block) => [...block.querySelectorAll("span")].some((span) => span.textContent === "tide" && getComputedStyle(span).color !== getComputedStyle(span.parentElement).color)), "the colour of the output is shown");
  assert.deepEqual(await stage.axe(), []);
  await chat.click("command-kill");
  await chat.until("the command to end", async () => (await page.$eval("[data-testid=command]", (block) => block.dataset.state)) !== "running");
  await stage.press("tab-chat");
  assert.equal(await panel.waitTurn(["complete", "failed"]), "complete");
  assert.match((await panel.assistantMessages()).at(-1), /It ended:.*(cancel|ended|stop|kill)/is);

  // What goes on in the background is still told here when nobody waits for it any more.
  await panel.send("Leave the tide running");
  await panel.waitApproval("exec_run");
  await panel.allow();
  assert.equal(await panel.waitTurn(["complete", "failed"]), "complete");
  await stage.press("tab-terminal");
  await chat.until("two commands", async () => (await chat.count("command")) === 2);
  const wave = async () => Number(/wave (\d+)/.exec((await chat.words("command")).at(-1))?.[1] ?? 0);
  const first = await chat.until("its output", wave);
  await chat.until("more of it", async () => (await wave()) > first + 3);
  await chat.click("command-kill");
  await chat.until("the job to end", async () => (await page.$$eval("[data-testid=command]", (blocks) => blocks.at(-1).dataset.state)) === "killed");
  assert.ok((await wave()) > first, "what it wrote is still there");
});

let second = null;
const twoFolders = { model: hello, workspaces: (scratch, environment) => [{ id: "pier", folder: (second = makeSample(scratch.make("pier"), environment)) }] };

flow("workspaces: chosen, added by a command, removed; the folder itself stays", twoFolders, async ({ stage, panel, chat, page }) => {
  await panel.chooseWorkspace("pier");
  assert.equal(await chat.turn("Hello"), "complete");
  await stage.section("workspaces");
  await stage.until("both folders", async () => (await stage.count("workspace-row")) === 2);
  const third = makeSample(stage.scratch.make("quay"), stage.environment);
  const added = await outrigger(stage.environment, "workspace", "add", third);
  assert.equal(added.code, 0, added.stderr);
  await stage.until("the third by itself", async () => (await stage.count("workspace-row")) === 3);
  const remove = async (name) => {
    const press = () => page.$$eval("[data-testid=workspace-row]", (rows, wanted) => rows.find((row) => row.innerText.startsWith(wanted)).querySelector("[data-testid=workspace-remove]").click(), name);
    await press();
    await page.waitForSelector("[data-testid=workspace-remove][data-asks=ready]");
    await press();
  };
  await remove("quay");
  await stage.until("the third gone", async () => (await stage.count("workspace-row")) === 2);
  await stage.reads(/quay/);
  await remove("pier");
  await stage.until("the second gone", async () => (await stage.count("workspace-row")) === 1);
  assert.ok(existsSync(path.join(second, "package.json")) && existsSync(path.join(third, "package.json")), "the folders themselves are not touched");
  assert.deepEqual(await stage.axe(), []);
  // The session of the folder that is gone says so, and goes on in another one.
  await stage.press("back");
  await stage.press("back").catch(() => {});
  await stage.screen("chat");
  await stage.see("composer-input");
  await panel.chooseWorkspace("shop");
  assert.equal(await chat.turn("Hello again"), "complete");
});

const tides = bySaying(
  [/Read slowly/, { text: slowly(60), chunkMs: 60 }],
  [/Write it down/, { calls: [{ id: "w1", name: "fs_write", args: { path: "tide.txt", content: "in and out\n" } }] }, { text: "Written." }],
);

flow("full tab: the same session live in both, answered in one and settled in the other", { model: tides }, async ({ stage, panel, chat, page, folder }) => {
  await panel.send("Read slowly");
  await panel.page.waitForSelector("[data-testid=stop]");
  const place = await page.evaluate(() => `${location.origin}${location.pathname}?tab${location.hash}`);
  const tab = await stage.openPage(place);
  await tab.setViewport({ width: 1200, height: 800 });
  await stage.see("assistant-message", { page: tab });
  await stage.see("assistant-message");
  const words = (of) => of.$eval("[data-testid=assistant-message]", (message) => message.innerText.length);
  const before = await words(tab);
  await stage.until("more of it in the tab", async () => (await words(tab)) > before);
  await stage.until("as much in the panel", async () => (await words(page)) > before);
  const inTab = new Panel(tab);
  assert.equal(await panel.waitTurn(["complete"]), "complete");
  assert.equal(await inTab.waitTurn(["complete"]), "complete");

  // Begun in the tab, asked in both, answered in the tab, settled in the panel.
  await inTab.send("Write it down");
  await panel.waitApproval("fs_write");
  await inTab.allow();
  await chat.until("no card in the panel", async () => (await chat.count("approval-card")) === 0);
  assert.equal(await panel.waitTurn(["complete"]), "complete");
  assert.ok(existsSync(path.join(folder, "tide.txt")));
  await stage.press("tab-changes", { page: tab });
  await stage.press("diff-layout-split", { page: tab });
  await stage.see("split-diff", { page: tab });
  assert.deepEqual(await stage.axe(tab), []);
  await tab.close();
  assert.equal((await panel.turnStates()).length, 2);
});

const alerts = bySaying([/Ask me first/, { calls: [{ id: "w1", name: "fs_write", args: { path: "a.txt", content: "a\n" } }] }, { text: "Done." }], [/Take your time/, { text: slowly(30), chunkMs: 120 }]);

flow("notifications and badge: what waits, what is done, and nothing once it was seen", { model: alerts }, async ({ stage, panel }) => {
  // Firefox opens the sidebar itself when an add-on is installed: a panel that someone looks at.
  if (stage.name === "firefox") await stage.browser.inWindows("SidebarController.hide()");
  // A page of ours that is no panel looks at what the browser shows.
  const watcher = await stage.openPage(await stage.page.evaluate(() => `${location.origin}/icon/16.png`));
  const state = () => watcher.evaluate(async () => ({ badge: await (globalThis.browser ?? globalThis.chrome).action.getBadgeText({}), notes: Object.keys(await (globalThis.browser ?? globalThis.chrome).notifications.getAll()) }));
  await panel.send("Take your time");
  await stage.page.waitForSelector("[data-testid=stop]");
  await stage.closePanel();
  const done = await waitUntil("the sign that it is done, and the word to the system", async () => {
    const now = await state();
    // A Firefox without a screen closes a notification before anyone can ask for it.
    return now.badge === "✓" && (now.notes.length === 1 || stage.name === "firefox") ? now : null;
  }, { describe: async () => JSON.stringify([await state(), eventsOf(await readLog(watcher), "TurnEnd")]) });
  if (stage.name === "chromium") {
    // No driver reaches what the system draws: the background is told of the click as the browser does. It opens a panel.
    await stage.browser.inBackground((id) => chrome.notifications.onClicked.dispatch(id), done.notes[0]);
    const opened = await stage.browser.browser.waitForTarget((target) => target.url().includes("sidepanel.html"), { timeout: 60_000 });
    await (await opened.asPage()).close();
  }
  await stage.openPanel();
  await stage.until("the sign to go once it was seen", async () => (await state()).badge === "");

  await stage.panel.send("Ask me first");
  await stage.panel.waitApproval("fs_write");
  await stage.until("the badge to count what waits", async () => (await state()).badge === "1");
  await stage.panel.allow();
  await stage.panel.waitTurn(["complete"]);
  await stage.until("the badge to be empty", async () => (await state()).badge === "");
});
