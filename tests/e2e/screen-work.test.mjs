// What the screens show of real work, in both browsers: the demo model does the main job over the real host; then its changes are looked
// at and taken back, its commands read, its session found, named, pinned, tagged, exported, deleted and brought back, and opened in a tab.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { doMainJob } from "./lib/main-job.mjs";
import { BROWSERS, onStage } from "./lib/screen-stage.mjs";
import { inTurn } from "./lib/turns.mjs";
import { makeSample } from "./lib/workspace.mjs";

for (const name of BROWSERS) {
  inTurn(name, `${name}: changes, terminal, history and tab of a real session`, { timeout: 400_000 }, async () => {
    let folder = null;
    const workspaces = (scratch, environment) => {
      folder = makeSample(scratch.make("harbour-shop"), environment);
      return [{ id: "harbour-shop", folder }];
    };
    await onStage(name, { workspaces }, async (stage) => {
      const { page } = stage;
      await stage.panel.waitConnected(60_000);
      const { state } = await doMainJob(stage.panel);
      assert.equal(state, "complete");
      stage.session = await page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get("session"));

      await changes(stage, folder);
      await terminal(stage);
      await history(stage);
      await inTab(stage);
    });
  });
}

/** A file is put back, brought back, and left alone where someone changed it since. */
async function changes(stage, folder) {
  const { page } = stage;
  await stage.press("tab-changes");
  const file = await (await stage.see("changed-file")).evaluate((element) => element.dataset.path);
  assert.deepEqual(await stage.axe(), []);
  const onDisk = () => readFileSync(path.join(folder, file), "utf8");
  const after = onDisk();
  await stage.press("file-take-back");
  await stage.until("the file as it was", () => onDisk() !== after);
  await stage.until("the turn as taken back", () => page.$eval("[data-testid=turn-changes]", (element) => element.dataset.state !== "done"));
  await stage.press("turn-take-back");
  await stage.until("the file as the turn left it", () => onDisk() === after);

  await stage.until("the turn as done", () => page.$eval("[data-testid=turn-changes]", (element) => element.dataset.state === "done"));
  const mine = `${after}// Mine.\n`;
  writeFileSync(path.join(folder, file), mine);
  await stage.press("turn-take-back");
  await stage.see("conflict-sheet");
  await stage.reads(file);
  assert.deepEqual(await stage.axe(), []);
  await page.keyboard.press("Escape");
  await stage.until("the sheet to close", async () => (await stage.count("conflict-sheet")) === 0);
  assert.equal(onDisk(), mine, "what a person wrote since is not touched");
  writeFileSync(path.join(folder, file), after);
}

async function terminal(stage) {
  await stage.press("tab-terminal");
  await stage.see("command");
  const commands = await stage.page.$$eval("[data-testid=command]", (blocks) => blocks.map((block) => ({ state: block.dataset.state, words: block.innerText })));
  assert.ok(commands.length >= 2, JSON.stringify(commands));
  assert.ok(commands.every((command) => command.state === "exited"));
  assert.match(commands[0].words, /exit 1/);
  assert.match(commands.at(-1).words, /exit 0/);
  await stage.reads(/pass \d/);
  assert.deepEqual(await stage.axe(), []);
}

async function history(stage) {
  const { page } = stage;
  await stage.press("open-history");
  await stage.see("session-row");
  assert.deepEqual(await stage.axe(), []);
  // A menu that closes a moment late takes the next press as one more to close it.
  const menu = async (item) => {
    await stage.until(`the menu with ${item}`, async () => {
      if ((await stage.count(item)) === 0) await stage.press("session-more");
      return stage.see(item, { timeoutMs: 1_500 }).catch(() => null);
    });
    await stage.press(item);
    await stage.until("the menu to close", async () => (await stage.count(item)) === 0);
  };
  // In full text: a word that stands in an answer, and in no title.
  await stage.fill("session-search", "commit");
  await stage.see("excerpt");
  // It leads to the place, not to the conversation's end.
  await stage.press("excerpt");
  await stage.until("the turn that was found at the top", () =>
    page.evaluate(() => {
      const top = (name) => document.querySelector(`[data-testid=${name}]`)?.getBoundingClientRect().top ?? Number.NaN;
      return Math.abs(top("turn") - top("transcript")) < 40;
    }),
  );
  await stage.press("open-history");
  await stage.fill("session-search", "nothingsayssuchaword");
  await stage.until("no session", async () => (await stage.count("session-row")) === 0);
  await stage.fill("session-search", "");
  await stage.see("session-row");

  await menu("session-rename");
  await stage.fill("rename-input", "The repaired shop");
  await page.keyboard.press("Enter");
  await stage.reads("The repaired shop");
  await menu("session-pin");
  await menu("session-tags");
  await stage.fill("tag-input", "release, shop");
  await stage.press("tag-save");
  await stage.reads("release");
  await stage.press("session-filter");
  await stage.choose("filter-tag", "shop");
  await stage.press("filter-pinned");
  assert.equal(await stage.count("session-row"), 1);
  await stage.choose("filter-state", "failed");
  await stage.until("no session that failed", async () => (await stage.count("session-row")) === 0);
  await stage.press("session-filter");

  // Exported: the file's text is caught where it is handed to the browser.
  await page.evaluate(() => {
    globalThis.exported = [];
    const make = URL.createObjectURL.bind(URL);
    URL.createObjectURL = (blob) => (void blob.text().then((text) => globalThis.exported.push(text)), make(blob));
  });
  for (const [count, format] of ["export-markdown", "export-html", "export-json"].entries()) {
    await menu(format);
    await stage.until(format, () => page.evaluate((wanted) => globalThis.exported.length > wanted, count));
  }
  const exported = await page.evaluate(() => globalThis.exported);
  assert.match(exported[0], /A test fails/);
  assert.match(exported[1], /<html/);
  assert.doesNotMatch(exported[1], /<script/);
  assert.match(exported[1], /<p dir="auto">/);

  await menu("session-delete");
  await stage.until("the session gone", async () => (await stage.count("session-row")) === 0);
  await page.evaluate(() => [...document.querySelectorAll("[data-testid=receipt] button")].at(-1).click());
  await stage.see("session-row");
  // The receipt is gone sooner than the way back: it stands in the list, also for a panel that is opened later.
  await menu("session-delete");
  await stage.until("the session gone once more", async () => (await stage.count("session-row")) === 0);
  await page.reload({ waitUntil: stage.name === "firefox" ? [] : "load" });
  await stage.press("deleted-open");
  assert.deepEqual(await stage.axe(), []);
  await stage.press("deleted-back");
  await stage.see("session-row");
  await stage.until("nothing deleted to be left", async () => (await stage.count("deleted-sessions")) === 0);

  // And taken in again from its file.
  const file = path.join(stage.scratch.folder, "session.json");
  writeFileSync(file, exported[2]);
  const field = await page.$("[data-testid=import-file]");
  await field.uploadFile(file);
  await stage.until("the imported turn", async () => (await stage.panel.turnStates()).length > 0);
  await stage.press("open-history");
  await stage.until("two sessions", async () => (await stage.count("session-row")) === 2);
}

/** The same session in a tab: what is done in one is seen in the other. */
async function inTab(stage) {
  const { page, browser } = stage;
  const place = await page.evaluate((session) => `${location.origin}${location.pathname}?tab#session=${session}`, stage.session);
  const tab = await browser.browser.newPage();
  await tab.goto(place, { waitUntil: stage.name === "firefox" ? [] : "load" });
  await tab.setViewport({ width: 1200, height: 800 });
  await stage.see("turn", { page: tab });
  assert.equal(await tab.$("[data-testid=open-tab]"), null, "a tab offers no tab");
  await stage.press("tab-changes", { page: tab });
  await stage.press("diff-layout-split", { page: tab });
  await stage.see("split-diff", { page: tab });
  // Renamed there, it is called so here.
  await stage.screen("chat");
  await tab.evaluate(() => document.querySelector("[data-testid=session-more]").focus());
  await stage.press("session-more", { page: tab });
  await stage.press("session-rename", { page: tab });
  await (await stage.see("rename-input", { page: tab })).type("Seen in both");
  await tab.keyboard.press("Enter");
  await stage.screen("history");
  await stage.reads("Seen in both");
  await tab.close();
}
