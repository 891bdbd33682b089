// The Firefox build of the same code: it loads as a temporary add-on and completes a hello with the real host.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Firefox } from "./lib/firefox.mjs";
import { installForFirefox, writeConfig } from "./lib/host.mjs";
import { Panel } from "./lib/panel.mjs";
import { extensionBuild } from "./lib/places.mjs";
import { Scratch } from "./lib/scratch.mjs";
import { waitUntil } from "./lib/wait.mjs";
import { makeSample } from "./lib/workspace.mjs";

test("the panel in Firefox is connected, and knows the workspace", { timeout: 180_000 }, async () => {
  const scratch = new Scratch("outrigger-firefox");
  try {
    const environment = scratch.environment();
    writeConfig(scratch, [{ id: "harbour-shop", folder: makeSample(scratch.make("sample"), environment) }]);
    await installForFirefox(environment);
    const firefox = await Firefox.launch({ extension: extensionBuild("firefox-mv3"), environment });
    scratch.atEnd(() => firefox.close());
    const panel = new Panel(await firefox.openPanel());
    await panel.waitConnected(60_000);
    await waitUntil("the workspace in the panel", async () => (await panel.words()).includes("harbour-shop"), { describe: () => panel.words() });
    assert.equal(await panel.connectionState(), "connected");
  } finally {
    await scratch.end();
  }
});
