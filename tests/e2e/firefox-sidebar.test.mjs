// The real sidebar of a real Firefox, not its page in a tab: opened by the toolbar's button, 360 pixels wide, a task written with the
// keyboard, its card answered with the mouse, the next one by key, and what changed looked at. Nothing in it is wider than it.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { bySaying } from "./lib/flow.mjs";
import { onStage } from "./lib/screen-stage.mjs";
import { Sidebar } from "./lib/sidebar.mjs";
import { makeSample } from "./lib/workspace.mjs";
import { ModelServer } from "./model-server.mjs";

const edit = (id, from, to) => ({ id, name: "fs_edit", args: { path: "note.txt", edits: [{ old_text: from, new_text: to }] } });
const model = bySaying(
  [/make it large/, { text: "At once.", calls: [edit("e1", "small", "LARGE")] }, { text: "It is large." }],
  [/make it small/, { text: "Back again.", calls: [edit("e2", "LARGE", "small")] }, { text: "It is small." }],
);

test("firefox: the real sidebar, 360 pixels wide: a task by keyboard, a card by mouse and by key, its changes", { timeout: 300_000 }, async () => {
  const server = await ModelServer.start(model);
  let folder = null;
  const workspaces = (scratch, environment) => {
    folder = makeSample(scratch.make("shop"), environment);
    writeFileSync(path.join(folder, "note.txt"), "small\n");
    return [{ id: "shop", folder }];
  };
  const note = () => readFileSync(path.join(folder, "note.txt"), "utf8");
  try {
    await onStage("firefox", { workspaces }, async (stage) => {
      await stage.panel.waitConnected();
      await stage.panel.addModelServer({ baseUrl: server.baseUrl, name: "scripted" });
      const sidebar = new Sidebar(stage.browser, stage.page);
      // Firefox opens it when the add-on is installed; the button shuts it and opens it again.
      if (await sidebar.isOpen()) await sidebar.toggle();
      await stage.until("the sidebar to be shut", async () => !(await sidebar.isOpen()));
      await sidebar.toggle();
      await stage.until("the sidebar to be open", () => sidebar.isOpen());
      await sidebar.see("composer-input");
      await sidebar.widen(360);
      await sidebar.until("a completed hello with the host", (view) => view.document.querySelector("[data-testid=connection-status]")?.dataset.state === "connected");
      await fits(sidebar);

      await sidebar.click("composer-input");
      await sidebar.type("make it large");
      await sidebar.press("Enter");
      await sidebar.until("a card that counts", (view) => view.document.querySelector("[data-testid=approval-card][data-armed=true]") !== null);
      // Tool, target, reason and both answers, without scrolling.
      const words = await sidebar.until("the words of the card", (view) => {
        const card = view.document.querySelector("[data-testid=approval-card]");
        const isSeen = (each) => each.getBoundingClientRect().top >= 0 && each.getBoundingClientRect().bottom <= view.innerHeight;
        const answers = [...card.querySelectorAll("[data-testid=approval-allow], [data-testid=approval-deny]")];
        return answers.length === 2 && answers.every(isSeen) && isSeen(card.querySelector("header")) ? card.querySelector("header").innerText : null;
      });
      for (const part of ["note.txt", "fs_edit", "shop"]) assert.ok(words.found.includes(part), words.found);
      await fits(sidebar);
      assert.equal(note(), "small\n");
      await sidebar.click("approval-allow");
      await stage.until("the change", () => note() === "LARGE\n");
      await sidebar.until("the end of the turn", (view) => view.document.querySelector("[data-testid=turn]")?.dataset.state === "complete");

      // The next one by keys alone: the focus is still where it was written.
      await sidebar.click("composer-input");
      await sidebar.type("make it small");
      await sidebar.press("Enter");
      await sidebar.until("the next card that counts", (view) => view.document.querySelector("[data-testid=approval-card][data-armed=true]") !== null);
      for (let stops = 0; stops < 8 && (await sidebar.evaluate((view) => view.document.activeElement?.dataset.testid ?? "")) !== "approval-card"; stops += 1) await sidebar.press("F6");
      await sidebar.press("a");
      await stage.until("the second change", () => note() === "small\n");

      await sidebar.click("tab-changes");
      await sidebar.see("changed-file");
      await fits(sidebar);
      await sidebar.toggle();
      await stage.until("the sidebar to be shut again", async () => !(await sidebar.isOpen()));
    });
  } finally {
    await server.close();
  }
});

async function fits(sidebar) {
  const wide = await sidebar.evaluate((view) => {
    const limit = view.document.documentElement.clientWidth + 1;
    return [...view.document.querySelectorAll("#root *")].filter((each) => each.getBoundingClientRect().width > 0 && each.getBoundingClientRect().right > limit && each.closest(".truncate, .sr-only, pre, code, [class*=overflow]") === null).map((each) => each.outerHTML.slice(0, 120));
  });
  assert.deepEqual(wide, []);
}
