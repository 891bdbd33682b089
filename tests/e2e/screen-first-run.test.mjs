// A first run, in both browsers: from a missing host over a missing folder to an agent that answers, without a restart of anything.
import assert from "node:assert/strict";
import { test } from "node:test";
import { outrigger } from "./lib/host.mjs";
import { BROWSERS, onStage } from "./lib/screen-stage.mjs";
import { makeSample } from "./lib/workspace.mjs";

for (const name of BROWSERS) {
  test(`${name}: host, folder, model, and then it works`, { timeout: 240_000 }, async () => {
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
