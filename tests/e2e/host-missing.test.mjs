// A browser without the host: the panel names what is missing and the command, and notices by itself when it is there.
import assert from "node:assert/strict";
import { test } from "node:test";
import { installForChromium } from "./lib/host.mjs";
import { Stage } from "./lib/stage.mjs";
import { waitUntil } from "./lib/wait.mjs";
import { makeSample } from "./lib/workspace.mjs";

test("the panel names the missing host, and an installation is noticed without a restart", { timeout: 120_000 }, async () => {
  const stage = await Stage.open({
    install: false,
    prepare: ({ scratch, environment }) => [{ id: "sample", folder: makeSample(scratch.make("sample"), environment) }],
  });
  try {
    const { panel, environment, profile } = stage;
    const problem = await waitUntil("the panel to say what is wrong", () => panel.page.$("[data-testid=connection-problem]"), { describe: () => panel.words() });
    assert.equal(await panel.connectionState(), "failed");
    assert.equal(await problem.evaluate((node) => node.dataset.code), "host_not_found");
    assert.match(await problem.evaluate((node) => node.innerText), /outrigger install/);
    assert.equal(await panel.page.$eval("[data-testid=send]", (button) => button.disabled), true, "nothing can be sent into the void");
    await installForChromium(environment, profile);
    await panel.waitConnected(20_000);
    assert.equal(await panel.page.$("[data-testid=connection-problem]"), null);
  } catch (error) {
    await stage.explain();
    throw error;
  } finally {
    await stage.close();
  }
});
