// From an empty panel to a reviewed and undone change without a mouse: nothing here clicks, points or sets the focus.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { coverOfFocus } from "./lib/covered.mjs";
import { bySaying } from "./lib/flow.mjs";
import { outrigger } from "./lib/host.mjs";
import { readTree } from "./lib/main-job.mjs";
import { BROWSERS, onStage } from "./lib/screen-stage.mjs";
import { inTurn } from "./lib/turns.mjs";
import { makeSample } from "./lib/workspace.mjs";
import { ModelServer } from "./model-server.mjs";

const LINES = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`).join("\n");
const model = bySaying([
  /Make both lines large/,
  { text: "Both at once.", calls: [{ id: "e1", name: "fs_edit", args: { path: "notes.txt", edits: [{ old_text: "line 3\n", new_text: "LINE 3\n" }, { old_text: "line 33\n", new_text: "LINE 33\n" }] } }] },
  { text: "One of them is large now." },
]);

const slow = bySaying([/Read slowly/, { text: "I read, and take my time over it. ".repeat(12), hold: true }], [/./, { text: "Said." }]);

/** More stops than this between two places is no way for a person. */
const MOST_STOPS = 40;

for (const name of BROWSERS) {
  inTurn(name, `${name}: first run, task, approval, review, undo and settings by keyboard alone`, { timeout: 300_000 }, async () => {
    const server = await ModelServer.start(model);
    let folder = null;
    const workspaces = (scratch, environment) => {
      folder = makeSample(scratch.make("shop"), environment);
      writeFileSync(path.join(folder, "notes.txt"), `${LINES}\n`);
      return [];
    };
    try {
      await onStage(name, { install: false, workspaces }, (stage) => play(stage, new Keys(stage), server, folder));
    } finally {
      await server.close();
    }
  });

  inTurn(name, `${name}: by keyboard alone through the main job and every screen, from stop to stop, each seen and marked`, { timeout: 400_000 }, async () => {
    let folder = null;
    const workspaces = (scratch, environment) => [{ id: "shop", folder: (folder = makeSample(scratch.make("shop"), environment)) }];
    await onStage(name, { workspaces }, async (stage) => {
      await stage.panel.waitConnected();
      const keys = new Keys(stage);
      try {
        await walk(stage, keys, folder);
      } finally {
        if (process.env.E2E_PICTURES) process.stderr.write(`${keys.way.join("\n")}\n`);
      }
      assert.deepEqual([...keys.faults], []);
      assert.deepEqual(await stage.axe(), []);
    });
  });

  inTurn(name, `${name}: by keyboard alone the focus is never lost: menus, sheets, what waits, what goes away`, { timeout: 300_000 }, async () => {
    const server = await ModelServer.start(slow);
    const workspaces = (scratch, environment) => [{ id: "shop", folder: makeSample(scratch.make("shop"), environment) }];
    try {
      await onStage(name, { workspaces }, async (stage) => {
        await stage.panel.waitConnected();
        await stage.panel.addModelServer({ baseUrl: server.baseUrl, name: "scripted" });
        await keepsFocus(stage, new Keys(stage), server);
      });
    } finally {
      await server.close();
    }
  });
}

class Keys {
  /** What was wrong with the focus behind a key, each once. */
  faults = new Set();
  /** What the focus came to. */
  way = [];

  constructor(stage) {
    this.stage = stage;
    this.page = stage.page;
  }

  async press(name, ...held) {
    for (const each of held) await this.page.keyboard.down(each);
    await this.page.keyboard.press(name);
    for (const each of held.toReversed()) await this.page.keyboard.up(each);
  }

  /** From stop to stop, all of them that there are from here on, until one comes a second time, and back at the first; each must be seen and bear a mark. */
  async throughAll(where) {
    const way = [];
    await this.page.evaluate(() => { globalThis.stops = new Set(); });
    for (let stops = 0; stops < 120; stops += 1) {
      const { label, isKnown, isLast, fault } = await this.page.evaluate(stopHere);
      for (const each of [fault, await this.page.evaluate(coverOfFocus)]) if (each !== null) this.faults.add(`${where}: ${each}`);
      if (isKnown) break;
      way.push(label);
      // Firefox's own frame keeps the keys once it has them, and no driver can give them back: there the page's last stop leads to the first one by hand.
      if (isLast && this.stage.name === "firefox") {
        await this.page.evaluate(() => globalThis.stops.values().next().value.focus());
        break;
      }
      await this.press("Tab");
    }
    this.way.push(`${where}: ${way.join(" > ")}`);
    return way;
  }

  type(text) {
    return this.page.keyboard.type(text);
  }

  /** Where the focus is: the test id of what has it, or of what it stands in. */
  at() {
    return this.page.evaluate(() => document.activeElement?.closest("[data-testid]")?.dataset.testid ?? document.activeElement?.tagName ?? null);
  }

  /** From stop to stop until the focus is there; `key` is Tab or F6. Each stop must be seen. */
  async to(testId, { key = "Tab", back = false } = {}) {
    await this.stage.see(testId);
    const passed = [];
    for (let stops = 0; stops < MOST_STOPS; stops += 1) {
      if ((await this.at()) === testId) return passed.length;
      await this.press(key, ...(back ? ["Shift"] : []));
      passed.push(await this.at());
    }
    throw new Error(`${key} does not come to \`${testId}\`; it came to ${passed.join(", ")}`);
  }

  /** The focus comes there by itself. */
  async comes(testId) {
    await this.stage.until(`the focus at \`${testId}\``, async () => (await this.at()) === testId, 10_000).catch(async (error) => {
      throw new Error(`the focus did not come to \`${testId}\`, it is at ${await this.at()}`, { cause: error });
    });
  }

  /** The focus is somewhere, and it can be seen that it is there. */
  async assertSeen() {
    const seen = await this.page.evaluate(() => {
      const { activeElement: element } = document;
      if (element === null || element === document.body) return "the focus is nowhere";
      const box = element.getBoundingClientRect();
      return box.bottom > 0 && box.top < innerHeight ? null : `the focus is out of sight, on ${element.outerHTML.slice(0, 120)}`;
    });
    assert.equal(seen, null);
  }
}

/** Runs in the page. What is scrolled to, and what a mark fades in on, has a second for that. */
async function stopHere() {
  for (let wait = 0; wait < 100 && document.activeElement?.hasAttribute("data-base-ui-focus-guard"); wait += 1) await new Promise((resolve) => setTimeout(resolve, 10));
  const { activeElement: element } = document;
  // The browser's own frame, behind the last stop.
  if (element === null || element === document.body) return { label: "the frame", isKnown: globalThis.stops.has(document.body) || (globalThis.stops.add(document.body), false), fault: null };
  const label = element.dataset.testid ?? element.closest("[data-testid]")?.dataset.testid ?? element.tagName;
  const isKnown = globalThis.stops.has(element);
  globalThis.stops.add(element);
  const all = [...document.querySelectorAll("button, a[href], input, select, textarea, summary, [tabindex='0']")].filter((each) => !each.matches(":disabled, [tabindex='-1'], [aria-hidden=true], [aria-hidden=true] *, [inert] *") && each.checkVisibility());
  const isLast = all.at(-1) === element && element.closest("[role=dialog]") === null;
  let fault = faultNow();
  for (let looks = 0; looks < 50 && fault !== null; looks += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    fault = faultNow();
  }
  return { label, isKnown, isLast, fault };

  function faultNow() {
    const shown = element.matches("input.sr-only") ? (element.closest("label") ?? element) : element;
    const box = shown.getBoundingClientRect();
    const style = getComputedStyle(shown);
    const isMarked = !document.hasFocus() || element.matches("textarea, input:not([type=checkbox], [type=radio]), [tabindex='-1']") || (style.outlineStyle !== "none" && Number.parseFloat(style.outlineWidth) > 0) || style.boxShadow !== "none" || shown.matches(":has(:focus-visible)");
    const isSeen = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
    return !isSeen ? `${label} is out of sight` : !isMarked ? `${label} bears no mark` : null;
  }
}

/** What leads from a section to a page of its own, and what unfolds a form in it. */
const PAGES = { models: ["model-add"], profiles: ["profile-add"], rules: ["rule-add"], schedules: ["schedule-add"] };
const FORMS = { models: [["passphrase-set", "[data-testid=keys-card] form", "passphrase-cancel"]], rules: [["lease-add", "[data-testid=lease-form]", "lease-cancel"]], data: [["erase-all", "[role=dialog], [role=alertdialog]", null]] };

/** The main job with the demo model, then every screen there is, and back. */
async function walk(stage, keys, folder) {
  const { panel } = stage;
  const came = (what) => stage.until(`the focus in the page ${what}`, async () => (await keys.at()) !== "BODY", 5_000).catch(() => keys.faults.add(`${what}: the focus is nowhere`));

  const before = readTree(folder, stage.environment);
  await keys.throughAll("an empty panel");
  await keys.to("composer-input", { key: "F6" });
  await keys.type("A test fails. Find out why, fix it, run the tests, and commit the fix.");
  await stage.until("the send button", () => stage.page.$eval("[data-testid=send]", (button) => !button.disabled));
  await keys.press("Enter");
  for (let cards = 0; ; cards += 1) {
    const next = await stage.until("a card or the end", async () => ((await stage.page.$("[data-testid=approval-card][data-armed=true]")) === null ? (["complete", "failed"].includes((await panel.turnStates()).at(-1)) ? "end" : null) : "card"), 90_000);
    if (next === "end") break;
    assert.ok(cards < 12);
    await keys.to("approval-card", { key: "F6" });
    await keys.assertSeen();
    if (cards === 0) await keys.throughAll("a card");
    await keys.to("approval-card", { key: "F6" });
    const call = await stage.page.$eval("[data-testid=approval-card]", (card) => card.dataset.call);
    await keys.press("a");
    await stage.until("the card to go", async () => (await stage.page.$(`[data-testid=approval-card][data-call="${call}"][data-armed=true]`)) === null);
    await came("after a card");
  }
  assert.equal((await panel.turnStates()).at(-1), "complete");
  await came("at the end of the turn");
  await keys.throughAll("a turn that is over");

  await keys.to("tab-changes", { back: true });
  await keys.press("Enter");
  await stage.see("changed-file");
  await keys.throughAll("the changes");
  await keys.press("Escape");
  await stage.see("composer-input");
  await keys.comes("tab-changes");

  for (const [opener, screen, part] of [["tab-terminal", "terminal", "command"], ["connection-status", "connection-screen", "connection-state"]]) {
    await keys.to(opener, { back: opener === "connection-status" });
    await keys.press("Enter");
    await stage.see(part);
    await keys.comes(screen);
    await keys.throughAll(`the screen ${screen}`);
    await keys.press("Escape");
    await stage.see("composer-input");
    await keys.comes(opener);
  }

  await keys.to("palette-open");
  await keys.press("Enter");
  await stage.see("palette-option");
  await keys.comes("composer-input");
  await keys.press("Escape");
  await stage.until("the palette to shut", async () => (await stage.count("palette")) === 0);
  await keys.comes("composer-input");

  // A turn is undone by its menu.
  await keys.to("turn-menu", { back: true });
  await keys.press("Enter");
  await stage.see("turn-undo");
  await keys.to("turn-undo", { key: "ArrowDown" });
  await keys.press("Enter");
  await stage.see("undo-sheet");
  await stage.until("the undo to be possible", () => stage.page.$eval("[data-testid=undo-go]", (button) => !button.disabled));
  await keys.throughAll("the undo");
  await keys.to("undo-go");
  await keys.press("Enter");
  await stage.until("the sheet to shut", async () => (await stage.count("undo-sheet")) === 0);
  await came("after the undo");
  for (const [file, words] of before) assert.equal(readFileSync(path.join(folder, file), "utf8"), words);
  await keys.throughAll("an undone turn");

  await keys.press("Comma", "Alt");
  await stage.see("settings");
  await keys.comes("settings");
  await keys.throughAll("the settings");
  for (const section of ["models", "workspaces", "profiles", "rules", "schedules", "limits", "usage", "alerts", "look", "data"]) {
    await keys.to(`section-${section}`);
    await keys.press("Enter");
    await stage.see(`settings-${section}`);
    await keys.comes(`settings-${section}`);
    await keys.throughAll(`settings, ${section}`);
    for (const opener of PAGES[section] ?? []) {
      await keys.to(opener);
      await keys.press("Enter");
      await stage.until(`the page of ${opener}`, async () => (await stage.count(opener)) === 0);
      await keys.comes(`settings-${section}`);
      await keys.throughAll(`settings, ${opener}`);
      await keys.to("back", { back: true });
      await keys.press("Enter");
      await stage.see(opener);
      await keys.comes(opener);
    }
    for (const [opener, form, cancel] of FORMS[section] ?? []) {
      await keys.to(opener);
      await keys.press("Enter");
      await stage.until(`the form of ${opener}`, () => stage.page.evaluate((selector) => document.querySelector(selector) !== null, form));
      await stage.until(`the focus in the form of ${opener}`, () => stage.page.evaluate((selector) => document.activeElement?.closest(selector) !== null, form), 5_000).catch(async () => keys.faults.add(`${opener} leaves the focus at ${await keys.at()}, outside its form`));
      await keys.throughAll(`settings, ${opener}`);
      if (cancel !== null) await keys.to(cancel);
      await keys.press(cancel === null ? "Escape" : "Enter");
      await stage.until(`the form of ${opener} to go`, async () => (await stage.page.$(form)) === null);
      await keys.comes(opener);
    }
    // From a field Escape leaves the field alone.
    await keys.to("back", { back: true });
    await keys.press("Enter");
    await stage.see("settings");
    await keys.comes(`section-${section}`);
    await keys.assertSeen();
  }
  await keys.press("Escape");
  await stage.see("composer-input");
  await came("back in the chat");

  await keys.press("KeyH", "Alt");
  await stage.see("history");
  await keys.to("session-search");
  await keys.type("test fails");
  await stage.see("session-row");
  await stage.see("excerpt");
  await keys.throughAll("the history");
  await keys.to("excerpt");
  await keys.press("Enter");
  await stage.see("composer-input");
  await keys.comes("transcript");
  await keys.throughAll("a session that was found");
}

async function play(stage, keys, server, folder) {
  const { panel } = stage;
  const note = () => readFileSync(path.join(folder, "notes.txt"), "utf8");

  // First run: what is wrong, tried again by a key; then the folder, then a model of one's own.
  await stage.see("connection-problem", { timeoutMs: 60_000 });
  await keys.to("connection-retry");
  await keys.assertSeen();
  await stage.install();
  await keys.press("Enter");
  await panel.waitConnected();
  await stage.see("no-workspace");
  await keys.to("workspace-pick");
  await keys.press("Enter");
  await stage.see("pick-unavailable");
  const added = await outrigger(stage.environment, "workspace", "add", folder);
  assert.equal(added.code, 0, added.stderr);
  await stage.see("model-step");
  await keys.to("first-model");
  await keys.assertSeen();
  await keys.press("Enter");
  await keys.to("server-url");
  await keys.type(server.baseUrl);
  await keys.to("server-model");
  await keys.type("scripted");
  await keys.to("server-save");
  await keys.press("Enter");
  await stage.see("composer-input");

  // A task; the card is reached, one of its two changes left out, and it is answered.
  await keys.to("composer-input", { key: "F6" });
  await keys.type("Make both lines large");
  await stage.until("the send button", () => stage.page.$eval("[data-testid=send]", (button) => !button.disabled));
  await keys.press("Enter");
  await stage.page.waitForSelector("[data-testid=approval-card][data-armed=true]", { timeout: 60_000 });
  assert.equal(await keys.at(), "composer-input", "a card takes no focus by itself");
  await keys.to("approval-card", { key: "F6" });
  await keys.assertSeen();
  await keys.press("ArrowDown");
  await keys.press("ArrowDown");
  assert.equal(await keys.at(), "hunk-box");
  await keys.assertSeen();
  await keys.press(" ");
  await stage.reads("Allow 1 of 2");
  await keys.press("a");
  assert.equal(await panel.waitTurn(["complete", "failed"]), "complete");
  assert.equal(note(), `${LINES}\n`.replace("line 3\n", "LINE 3\n"));
  await stage.until("the focus to be handed back", async () => (await keys.at()) !== "BODY");

  // Review, and the way back.
  await keys.to("tab-changes", { back: true });
  await keys.press("Enter");
  await stage.see("changed-file");
  await keys.to("turn-take-back");
  await keys.assertSeen();
  await keys.press("Enter");
  await stage.until("the file as it was", () => note() === `${LINES}\n`);
  await stage.until("the way to bring it back", () => stage.page.$eval("[data-testid=turn-changes]", (element) => element.dataset.state !== "done"));
  await keys.press("Escape");
  await stage.see("composer-input");

  // The same by the palette, in words.
  await keys.to("composer-input", { key: "F6" });
  await keys.type("/plan");
  await keys.press("Enter");
  await stage.until("plan mode", async () => /Plan/.test(await stage.page.$eval("[data-testid=mode-switch]", (button) => button.innerText)));

  // Settings: in, through a section, changed, and out again to where one was.
  await keys.press("Comma", "Alt");
  await stage.see("settings");
  await keys.to("section-limits");
  await keys.assertSeen();
  await keys.press("Enter");
  await keys.to("limit-steps");
  await keys.type("9");
  await keys.to("limits-save");
  await keys.assertSeen();
  await keys.press("Enter");
  await stage.reads("Limits saved");
  await keys.press("Escape");
  await stage.see("settings");
  await keys.press("Escape");
  await stage.see("composer-input");
  assert.deepEqual(await stage.axe(), []);
}

async function keepsFocus(stage, keys, server) {
  const count = (testId) => stage.count(testId);
  const waiting = () => stage.page.$$eval("[data-testid=queue-text]", (rows) => rows.map((row) => row.textContent));
  const say = async (words) => {
    await keys.type(words);
    await keys.press("Enter");
    await stage.until("the box to be empty", () => stage.page.$eval("[data-testid=composer-input]", (box) => box.value === ""));
  };

  // Menus: opened by Enter, shut by Escape, and the focus is where it was.
  for (const menu of ["attach", "mode-switch", "workspace-select", "model-select", "profile-select"]) {
    await keys.to(menu);
    await keys.press("Enter");
    await stage.until(`the menu of ${menu}`, async () => (await stage.page.$("[role=menu]")) !== null);
    await keys.press("Escape");
    await stage.until("the menu to shut", async () => (await stage.page.$("[role=menu]")) === null);
    await keys.comes(menu);
  }

  // What waits: put in order, said in other words, left as it was, thrown away; one never has to look for the place again.
  await keys.to("composer-input", { key: "F6" });
  await say("Read slowly");
  await stage.page.waitForSelector("[data-testid=stop]");
  await keys.comes("composer-input");
  for (const words of ["first", "second", "third"]) await say(words);
  await stage.until("three to wait", async () => (await count("queue-text")) === 3);
  await keys.to("queue-text", { back: true });
  await keys.press("ArrowUp", "Alt");
  await stage.until("another order", async () => (await waiting()).join() === "first,third,second");
  await keys.comes("queue-text");
  await keys.press("Enter");
  await keys.comes("queue-edit");
  await keys.type(" thing");
  await keys.press("Escape");
  await keys.comes("queue-text");
  await keys.press("Enter");
  await keys.comes("queue-edit");
  await keys.type(" thing");
  await keys.press("Enter");
  await stage.until("the other words", async () => (await waiting()).join() === "first,third thing,second");
  await keys.comes("queue-text");
  await keys.press("Delete");
  await stage.until("one less", async () => (await waiting()).join() === "first,second");
  await stage.until("the focus in what waits", async () => (await keys.at())?.startsWith("queue-"));
  assert.deepEqual(await stage.axe(), []);

  // Escape ends the turn, from wherever one is; the rest is thrown away by its cross.
  await keys.press("Escape");
  server.release();
  await stage.panel.waitTurn(["cancelled"]);
  for (let left = await count("queue-item"); left > 0; left -= 1) {
    await keys.to("queue-remove");
    await keys.press("Enter");
    await stage.until("one less", async () => (await count("queue-item")) < left);
  }
  await stage.until("the focus to stay in the page", async () => (await keys.at()) !== "BODY");

  // Sheets give it back, to a menu's button as well.
  const inMenu = async (menu, item, how) => {
    await keys.to(menu, how);
    await keys.press("Enter");
    await stage.see(item);
    await keys.to(item, { key: "ArrowDown" });
    await keys.press("Enter");
  };
  await inMenu("turn-menu", "turn-edit", { back: true });
  await keys.comes("edit-message-text");
  await keys.press("Escape");
  await stage.until("the message as it was", async () => (await count("edit-message")) === 0);
  await stage.until("the focus to stay in the page", async () => (await keys.at()) !== "BODY");
  await keys.to("composer-input", { key: "F6" });
  await keys.type("?");
  assert.equal(await count("keys-sheet"), 0, "a question mark that is written is one");
  await keys.press("Backspace");
  await keys.to("context-meter");
  await keys.press("Enter");
  await stage.see("context-sheet");
  await keys.press("Escape");
  await stage.until("the sheet to shut", async () => (await count("context-sheet")) === 0);
  await keys.comes("context-meter");

  // History: a name changed, and kept as it was; a session deleted and brought back by its receipt.
  await keys.press("KeyH", "Alt");
  await stage.see("history");
  await inMenu("session-more", "session-rename");
  await keys.comes("rename-input");
  await keys.type("Waves");
  await keys.press("Enter");
  await stage.reads("Waves");
  await stage.until("the focus in the row", async () => /^session-/.test((await keys.at()) ?? ""));
  await inMenu("session-more", "session-rename");
  await keys.comes("rename-input");
  await keys.press("Escape");
  await stage.until("the focus in the row", async () => /^session-/.test((await keys.at()) ?? ""));
  await stage.see("history");
  await inMenu("session-more", "session-delete");
  await stage.until("no session", async () => (await count("session-row")) === 0);
  await stage.until("the focus to stay in the page", async () => (await keys.at()) !== "BODY");
  await keys.to("receipt");
  await keys.press("Enter");
  await stage.see("session-row");
  await stage.until("the focus to stay in the page", async () => (await keys.at()) !== "BODY");
  await keys.press("Escape");
  await stage.see("composer-input");
}
