// The real host at the end of a real browser's port: the largest message there is, small ones that pass it, several profiles at once,
// hosts that never say hello, and a host that is installed while the panel looks for it. In Chromium and in Firefox.
import assert from "node:assert/strict";
import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import { BehaviourStage } from "./behaviour/stage.mjs";
import { descendants, installForChromium, installForFirefox, writeConfig } from "./lib/host.mjs";
import { largeEcho } from "./lib/large-echo.mjs";
import { IDS } from "./lib/places.mjs";
import { BROWSERS, onStage } from "./lib/screen-stage.mjs";

const HELLO = { jsonrpc: "2.0", id: "hello", method: "outrigger/hello", params: { client: { name: "outrigger-extension", version: "0.1.0" }, protocol: { min: 1, max: 1 } } };

/** A page that may talk to the real host, in a profile of its own. */
async function withHost(name) {
  const stage = await BehaviourStage.open(name);
  writeConfig(stage.scratch, [{ id: "work", folder: stage.scratch.make("work") }]);
  // Where the configuration is: hosts are started by the browser, with its environment.
  await (name === "chromium" ? installForChromium(stage.environment, stage.profile) : installForFirefox(stage.environment));
  return stage;
}

for (const name of BROWSERS) {
  describe(`the host in ${name}`, { timeout: 400_000 }, () => {
    test("almost 64 MiB arrive whole, and small answers pass them", async () => {
      const stage = await withHost(name);
      try {
        const done = await stage.page.evaluate(largeEcho, { host: IDS.host_name, bytes: 63 * 1024 * 1024, chunkBytes: 256 * 1024 });
        assert.equal(done.isWhole, true);
        assert.ok(done.chunks > 200);
        // How many there are is a matter of speed: what was sent before the question came cannot be passed any more.
        assert.ok(done.small.length > 0 && done.small[0].before < done.chunks - 1, `small answers came after ${JSON.stringify(done.small.map(({ before }) => before))} of ${done.chunks} chunks`);
      } finally {
        await stage.close();
      }
    });

    test("two profiles at once have hosts and instance ids of their own", async () => {
      const stages = [await withHost(name), await withHost(name)];
      try {
        const hellos = await Promise.all(stages.map(async (stage) => (await stage.talk(IDS.host_name, [HELLO])).came[0].result));
        assert.equal(new Set(hellos.map(({ pid }) => pid)).size, 2);
        assert.equal(new Set(hellos.map(({ instance_id }) => instance_id)).size, 2);
        for (const { instance_id, caller } of hellos) assert.deepEqual([typeof instance_id, caller.family], ["string", name === "chromium" ? "chromium" : "firefox"]);
      } finally {
        for (const stage of stages) await stage.close();
      }
    });

    test("hosts that never say hello are started five times, also when the browser ends the idle background; then the panel names the reason, and Retry finds the mended one", async () => {
      await onStage(name, {}, async (stage) => {
        await stage.panel.waitConnected();
        const manifest = manifestOf(stage);
        const good = readFileSync(manifest, "utf8");
        const starts = stage.scratch.path("starts");
        const silent = stage.scratch.path("silent-host");
        writeFileSync(silent, `#!/bin/sh\necho "$(date +%s.%N) $PPID $*" >> ${starts}\nexit 1\n`);
        chmodSync(silent, 0o755);
        writeFileSync(starts, "");
        writeFileSync(manifest, JSON.stringify({ ...JSON.parse(good), path: silent }));
        const ended = Date.now() / 1_000;
        endHosts(stage);
        await stage.until("the reason", async () => (await stage.page.$eval("[data-testid=connection-problem]", (node) => node.dataset.code).catch(() => null)) === "too_many_starts", 90_000);
        const words = await stage.words();
        assert.match(words, /Reason \d+/, "it is numbered");
        const assertFive = (when) => {
          const told = readFileSync(starts, "utf8").trim().split("\n");
          // A doctor, which another test may run at the same time, tries what any running browser would start.
          const own = new Set([stage.browser.pid, ...descendants(stage.browser.pid, "").map(({ pid }) => pid)]);
          const byUs = told.filter((line) => own.has(Number(line.split(" ")[1])));
          assert.equal(byUs.length, 5, `${when}; ${[...own]} are ours; hosts ended at ${ended}; then, by which process and for whom:\n${told.join("\n")}`);
        };
        assertFive("before the background ended");
        await (name === "chromium" ? stage.browser.stopWorker() : stage.browser.stopBackground());
        // The panel starts the next one by itself, in a quarter of a second, and that one would start a host at once.
        await new Promise((resolve) => { setTimeout(resolve, 3_000); });
        assertFive("after the background ended");
        assert.match(await stage.words(), /Reason 11/, "the next background says the same");
        writeFileSync(manifest, good);
        await stage.press("connection-retry");
        await stage.panel.waitConnected();
      });
    });

    test("a host that is installed while the panel looks is noticed by itself", async () => {
      await onStage(name, { install: false }, async (stage) => {
        await stage.see("connection-problem");
        await stage.install();
        await stage.panel.waitConnected();
      });
    });
  });
}

function manifestOf({ name, scratch }) {
  const folder = name === "chromium" ? scratch.path("profile", "NativeMessagingHosts") : scratch.path("home", ".mozilla", "native-messaging-hosts");
  return path.join(folder, readdirSync(folder).find((file) => file.startsWith(IDS.host_name)));
}

/** Those of this stage's browser alone. */
function endHosts({ browser }) {
  const isHost = ({ line }) => line.includes("native-messaging-hosts") || (line.includes("chrome-extension://") && !line.includes("--type="));
  for (const { pid } of descendants(browser.pid, "").filter(isHost)) process.kill(pid, "SIGKILL");
}
