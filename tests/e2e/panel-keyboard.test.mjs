// From an empty panel to a reviewed and undone change without a mouse: nothing here clicks, points or sets the focus.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { bySaying } from "./lib/flow.mjs";
import { outrigger } from "./lib/host.mjs";
import { BROWSERS, onStage } from "./lib/screen-stage.mjs";
import { makeSample } from "./lib/workspace.mjs";
import { ModelServer } from "./model-server.mjs";

const LINES = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`).join("\n");
const model = bySaying([
  /Make both lines large/,
  { text: "Both at once.", calls: [{ id: "e1", name: "fs_edit", args: { path: "notes.txt", edits: [{ old_text: "line 3\n", new_text: "LINE 3\n" }, { old_text: "line 33\n", new_text: "LINE 33\n" }] } }] },
  { text: "One of them is large now." },
]);

/** More stops than this between two places is no way for a person. */
const MOST_STOPS = 40;

for (const name of BROWSERS) {
  test(`${name}: first run, task, approval, review, undo and settings by keyboard alone`, { timeout: 300_000 }, async () => {
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
}

class Keys {
  constructor(stage) {
    this.stage = stage;
    this.page = stage.page;
  }

  async press(name, ...held) {
    for (const each of held) await this.page.keyboard.down(each);
    await this.page.keyboard.press(name);
    for (const each of held.toReversed()) await this.page.keyboard.up(each);
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
  await stage.reads("1 of 2 changes");
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
