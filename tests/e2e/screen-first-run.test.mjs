// A first run, in both browsers: the page that shows where the panel is; then from a missing host over a missing folder to an agent that answers, without a restart of anything.
import assert from "node:assert/strict";
import { Chromium } from "./lib/chromium.mjs";
import { Firefox, UUID } from "./lib/firefox.mjs";
import { outrigger } from "./lib/host.mjs";
import { extensionBuild } from "./lib/places.mjs";
import { BROWSERS, onStage } from "./lib/screen-stage.mjs";
import { Scratch } from "./lib/scratch.mjs";
import { axeOn } from "./lib/axe.mjs";
import { sleep, waitUntil } from "./lib/wait.mjs";
import { inTurn } from "./lib/turns.mjs";
import { makeSample } from "./lib/workspace.mjs";

for (const name of BROWSERS) {
  inTurn(name, `${name}: host, folder, model, and then it works`, { timeout: 240_000 }, async () => {
    let folder = null;
    const workspaces = (scratch, environment) => {
      folder = makeSample(scratch.make("harbour-shop"), environment);
      return [];
    };
    await onStage(name, { install: false, workspaces }, async (stage) => {
      // The host is missing: the step, the reason and the exact command, on the way and on the page of the connection.
      await stage.see("connection-problem", { timeoutMs: 60_000 });
      await stage.reads("outrigger install");
      await stage.press("connection-status");
      await stage.see("connection-steps");
      const steps = () => stage.page.$$eval("[data-step]", (items) => items.map((item) => item.dataset.state));
      assert.equal((await steps())[0], "failed");
      assert.deepEqual(await stage.axe(), []);
      await stage.press("back");

      // Installed, it is noticed by itself.
      await stage.install();
      await stage.panel.waitConnected(30_000);

      // No folder: the system's dialog where there is one, else the command; a folder that was added in a terminal appears by itself.
      await stage.see("no-workspace");
      await stage.press("workspace-pick");
      const why = await (await stage.see("pick-unavailable")).evaluate((element) => element.dataset.reason);
      assert.ok(["no_dialog", "dialog_failed"].includes(why), why);
      await stage.reads(/outrigger.* workspace add/);
      assert.deepEqual(await stage.axe(), []);
      const added = await outrigger(stage.environment, "workspace", "add", folder);
      assert.equal(added.code, 0, added.stderr);
      await stage.see("suggestion");
      await stage.see("model-step");
      assert.deepEqual(await stage.axe(), []);

      // All is there: the page says so, the doctor says the same, and a first task is answered.
      await stage.press("connection-status");
      await stage.see("connection-state");
      assert.deepEqual(await steps(), ["done", "done", "done", "done"]);
      await stage.press("doctor-run");
      await stage.see("doctor-result", { timeoutMs: 60_000 });
      const verdicts = await stage.page.$$eval("[data-testid=doctor-check]", (checks) => checks.length).catch(() => 0);
      assert.ok((await stage.count("doctor-result")) === 1 && verdicts >= 0);
      assert.deepEqual(await stage.axe(), []);
      await stage.press("back");
      await stage.until("a suggestion that can be pressed", () => stage.page.$eval("[data-testid=suggestion]", (button) => !button.disabled));
      await stage.press("suggestion");
      await stage.until("a turn", async () => (await stage.panel.turnStates()).length > 0);
    });
  });
}

const WELCOMES = {
  chromium: {
    launch: (scratch, environment) => Chromium.launch({ extension: extensionBuild("chrome-mv3"), profile: scratch.path("profile"), environment }),
    pageOf: async ({ browser }) => (await browser.pages()).find((page) => page.url().endsWith("/welcome.html")),
    isOpen: ({ browser }) => browser.targets().some((target) => target.url().includes("sidepanel.html")),
  },
  firefox: {
    // As an installed one stays: what it stored is found again, and the next start is no install.
    launch: (_scratch, environment) => Firefox.launch({ extension: extensionBuild("firefox-mv3"), environment }),
    // A driver is told no address of an add-on's page.
    pageOf: async ({ browser }) => {
      for (const page of await browser.pages()) if ((await page.evaluate(() => location.href).catch(() => "")) === `moz-extension://${UUID}/welcome.html`) return page;
    },
    isOpen: async (firefox) => (await firefox.inWindows("SidebarController.isOpen")).some(Boolean),
  },
};

for (const name of BROWSERS) {
  inTurn(name, `${name}: after the install one page shows the way to the panel; an update shows none`, { timeout: 120_000 }, async () => {
    const { launch, pageOf, isOpen } = WELCOMES[name];
    const scratch = new Scratch(`outrigger-welcome-${name}`);
    try {
      scratch.make("profile");
      const environment = scratch.environment();
      let browser = await launch(scratch, environment);
      scratch.atEnd(() => browser.close());
      const page = await waitUntil("the page after the install", () => pageOf(browser));
      if (name === "firefox") await browser.inWindows("SidebarController.hide()");
      await page.waitForSelector("[data-testid=welcome-open]");
      assert.deepEqual(await axeOn(page), []);
      assert.equal(await isOpen(browser), false);

      // By key, and by a press.
      await page.keyboard.press("Tab");
      assert.equal(await page.evaluate(() => document.activeElement?.dataset.testid), "welcome-open");
      await page.click("[data-testid=welcome-open]");
      await waitUntil("the panel beside it", () => isOpen(browser));
      await waitUntil("the page to say so", () => page.$eval("[data-testid=welcome-state]", (state) => state.textContent.includes("close this tab")));
      assert.deepEqual(await axeOn(page), []);

      await page.close();
      if (name === "chromium") {
        await browser.close();
        browser = await launch(scratch, environment);
      } else {
        await browser.reloadExtension();
      }
      // Nothing is to come, so there is nothing to wait for.
      await sleep(3_000);
      assert.equal(await pageOf(browser), undefined);
    } finally {
      await scratch.end();
    }
  });
}
