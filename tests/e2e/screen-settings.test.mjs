// Everything that can be set, in both browsers, over the real host; every screen by keyboard alone, and looked at by axe.
import assert from "node:assert/strict";
import { BROWSERS, onStage } from "./lib/screen-stage.mjs";
import { inTurn } from "./lib/turns.mjs";
import { makeSample } from "./lib/workspace.mjs";
import { ModelServer } from "./model-server.mjs";

const workspaces = (scratch, environment) => [{ id: "harbour-shop", folder: makeSample(scratch.make("harbour-shop"), environment) }];

for (const name of BROWSERS) {
  inTurn(name, `${name}: models and keys, profiles, rules and leases, schedules, limits, language, data`, { timeout: 400_000 }, async () => {
    const server = await ModelServer.start(() => ({ text: "Understood." }));
    try {
      await onStage(name, { workspaces }, async (stage) => {
        await stage.panel.waitConnected(60_000);
        await models(stage, server);
        await profiles(stage);
        await session(stage);
        await rules(stage);
        await schedules(stage);
        await limits(stage);
        await folders(stage);
        await language(stage);
        await data(stage);
      });
    } finally {
      await server.close();
    }
  });

  inTurn(name, `${name}: every screen by keyboard alone`, { timeout: 200_000 }, async () => {
    await onStage(name, { workspaces }, async (stage) => {
      await stage.panel.waitConnected(60_000);
      await keyboard(stage);
    });
  });
}

async function models(stage, server) {
  await stage.section("models");
  assert.deepEqual(await stage.axe(), []);
  await stage.press("model-add");
  await stage.fill("server-url", server.baseUrl);
  await stage.fill("server-model", "scripted");
  await stage.fill("server-label", "My server");
  await stage.fill("server-key", "a-secret-of-mine");
  assert.deepEqual(await stage.axe(), []);
  await stage.press("server-save");
  await stage.reads("My server");
  await stage.pressIn("model-row", "My server", "model-use");
  await stage.until("the model for new sessions", () => stage.page.$$eval("[data-testid=model-row]", (rows) => rows.some((row) => row.innerText.includes("My server") && row.innerText.includes("new sessions"))));

  // Sealed, locked, opened again; a wrong passphrase is refused.
  await stage.press("passphrase-set");
  await stage.fill("passphrase", "correct horse battery");
  await stage.fill("passphrase-again", "correct horse battery");
  await stage.press("passphrase-do");
  await stage.press("keys-lock");
  await stage.reads("key locked");
  await stage.fill("passphrase", "something else");
  await stage.press("passphrase-do");
  await stage.reads("This is not the passphrase");
  await stage.fill("passphrase", "correct horse battery");
  await stage.press("passphrase-do");
  await stage.see("keys-lock");
  const stored = await stage.page.evaluate(() => document.body.innerText);
  assert.doesNotMatch(stored, /a-secret-of-mine/);

  // Its numbers, and the way to change it.
  await stage.pressIn("model-row", "My server", "model-edit");
  await stage.fill("server-label", "Our server");
  await stage.press("server-save");
  await stage.reads("Our server");
}

async function profiles(stage) {
  await stage.section("profiles");
  await stage.press("profile-add");
  await stage.fill("profile-name", "Careful");
  await stage.fill("profile-instructions", "Say what you are about to do.");
  await stage.choose("profile-mode", "plan");
  assert.deepEqual(await stage.axe(), []);
  await stage.press("profile-save");
  await stage.reads("Careful");
  await stage.pressIn("profile-row", "Careful", "profile-use");
  await stage.reads("New sessions begin with Careful");
  await stage.pressIn("profile-row", "Careful", "profile-edit");
  await stage.pressSure("profile-remove");
  await stage.see("profile-add");
  await stage.until("the profile gone", async () => (await stage.count("profile-row")) === 3);
}

/** A session for what belongs to one. */
async function session(stage) {
  await stage.screen("chat");
  await stage.panel.send("Hello");
  await stage.panel.waitTurn(["complete"]);
  stage.session = await stage.page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get("session"));
}

async function rules(stage) {
  await stage.screen("settings", "rules");
  await stage.press("rule-add");
  await stage.fill("rule-tool", "fs_write");
  await stage.fill("rule-path", "src/**");
  await stage.press("rule-effect-deny");
  await stage.see("rule-preview");
  assert.deepEqual(await stage.axe(), []);
  await stage.press("rule-save");
  await stage.see("rule-row");
  await stage.reads("src/**");
  await stage.press("rule-change");
  await stage.fill("rule-path", "docs/**");
  assert.deepEqual(await stage.axe(), []);
  await stage.press("rule-save");
  await stage.reads("docs/**");
  assert.equal(await stage.count("rule-row"), 1);
  await stage.pressSure("rule-revoke");
  await stage.until("the rule gone", async () => (await stage.count("rule-row")) === 0);

  await stage.press("lease-add");
  await stage.fill("lease-minutes", "5");
  await stage.press("lease-grant");
  await stage.see("lease-row");
  await stage.press("lease-end");
  await stage.until("the lease gone", async () => (await stage.count("lease-row")) === 0);
}

async function schedules(stage) {
  await stage.screen("settings", "schedules");
  await stage.press("schedule-add");
  await stage.fill("schedule-task", "Look whether the tests still pass");
  await stage.press("schedule-kind-cron");
  await stage.fill("schedule-cron", "nonsense");
  await stage.reads("This time never comes");
  await stage.fill("schedule-cron", "0 9 * * 1-5");
  assert.deepEqual(await stage.axe(), []);
  await stage.press("schedule-save");
  await stage.see("schedule-row");
  await stage.press("schedule-switch");
  await stage.until("it paused", () => stage.page.$eval("[data-testid=schedule-switch]", (element) => element.getAttribute("aria-checked") === "false"));
  await stage.press("schedule-edit");
  await stage.pressSure("schedule-remove");
  await stage.see("schedule-add");
  await stage.until("it gone", async () => (await stage.count("schedule-row")) === 0);
}

async function limits(stage) {
  await stage.screen("settings", "limits");
  await stage.fill("limit-steps", "7");
  await stage.press("timeout-add");
  await stage.fill("timeout-tool", "exec_run");
  await stage.fill("timeout-seconds", "90");
  assert.deepEqual(await stage.axe(), []);
  await stage.press("limits-save");
  await stage.reads("Limits saved");
  await stage.screen("settings");
  await stage.screen("settings", "limits");
  const field = await stage.see("limit-steps");
  assert.equal(await field.evaluate((input) => input.value), "7");
}

async function folders(stage) {
  await stage.screen("settings", "workspaces");
  await stage.see("workspace-row");
  await stage.reads("harbour-shop");
  assert.deepEqual(await stage.axe(), []);
}

/** At once, and after a reload as well. */
async function language(stage) {
  await stage.screen("settings", "look");
  await stage.page.evaluate(() => document.querySelector("[data-testid=language-de]").click());
  await stage.reads("Sprache und Farben");
  assert.equal(await stage.page.evaluate(() => document.documentElement.lang), "de");
  await stage.page.evaluate(() => document.querySelector("[data-testid=theme-dark]").click());
  await stage.until("the dark theme", () => stage.page.evaluate(() => document.documentElement.dataset.theme === "dark"));
  assert.deepEqual(await stage.axe(), []);
  await stage.page.evaluate(() => document.querySelector("[data-testid=language-zh]").click());
  await stage.reads("语言与颜色");
  await stage.page.evaluate(() => document.querySelector("[data-testid=language-en]").click());
  await stage.reads("Language and colours");
}

async function data(stage) {
  await stage.screen("settings", "usage");
  await stage.see("settings-usage");
  await stage.screen("settings", "data");
  await stage.reads("What is kept");
  assert.deepEqual(await stage.axe(), []);
  await stage.pressSure("erase-sessions");
  await stage.reads("All sessions were deleted");
  await stage.screen("history");
  await stage.until("no session", async () => (await stage.count("session-row")) === 0);
}

/** Nothing is clicked: from part to part, from screen to screen, and back to where one was. */
async function keyboard(stage) {
  const { page } = stage;
  const at = () => page.evaluate(() => document.activeElement?.dataset.testid ?? document.activeElement?.tagName);
  const key = async (name, ...held) => {
    for (const each of held) await page.keyboard.down(each);
    await page.keyboard.press(name);
    for (const each of held.toReversed()) await page.keyboard.up(each);
  };
  await page.evaluate(() => document.activeElement?.blur());
  await key("?");
  await stage.see("keys-sheet");
  assert.deepEqual(await stage.axe(), []);
  await key("Escape");
  await stage.until("the keys to close", async () => (await stage.count("keys-sheet")) === 0);

  await key("F6");
  assert.equal(await at(), "connection-status");
  await key("F6", "Shift");
  assert.equal(await at(), "composer-input");
  await key("Comma", "Alt");
  await stage.see("settings");
  await stage.until("the focus in the settings", async () => (await at()) === "settings");
  await key("Tab");
  await stage.until("the first section", async () => (await at()) === "section-models");
  await key("Enter");
  await stage.see("settings-models");
  await stage.until("the focus in the section", async () => (await at()) === "settings-models");
  await key("Escape");
  await stage.see("settings");
  await key("Escape");
  await stage.see("composer-input");
  await key("KeyH", "Alt");
  await stage.see("history");
  await stage.until("the focus in the history", async () => (await at()) === "history");
  await key("Escape");
  await stage.see("composer-input");

  // A message, written and sent without a click; and at twice the size everything is still there.
  await stage.until("the composer to take words", () => page.$eval("[data-testid=composer-input]", (field) => !field.disabled));
  await page.focus("[data-testid=composer-input]");
  await page.keyboard.type("What is in this folder?");
  await stage.until("the send button", () => page.$eval("[data-testid=send]", (button) => !button.disabled));
  await key("Enter");
  await stage.until("a turn", async () => (await stage.panel.turnStates()).length > 0, 40_000);
  await page.evaluate(() => { document.documentElement.style.zoom = "2"; });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(wide <= 1, `${wide} px beyond the edge at 200 %`);
}
