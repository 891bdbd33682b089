// What stands beside a message: files, pictures, a page and what is selected in it, and what the context menu of a page brings.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { bySaying, flow } from "./lib/flow.mjs";
import { smallPicture, WebPage } from "./lib/web-page.mjs";

const model = bySaying([/./, { text: "I have read what you sent along." }]);
const last = (server) => JSON.stringify(server.requests.at(-1).body.messages);
const chips = (page) => page.$$eval("[data-testid=attachment]", (nodes) => nodes.filter((node) => node.closest("[data-testid=turn]") === null).map((node) => [node.dataset.kind, node.innerText]));

flow("attachments: a file and a picture", { model }, async ({ stage, panel, chat, page, server }) => {
  const file = stage.scratch.path("error.log");
  const picture = stage.scratch.path("boat.png");
  writeFileSync(file, "expected seven ships, found six\n");
  writeFileSync(picture, smallPicture());
  const picker = await page.$("[data-testid=attach-picker]");
  await picker.uploadFile(file);
  await chat.until("the file beside the message", async () => (await chips(page)).length === 1);
  await picker.uploadFile(picture);
  await chat.until("the picture beside it", async () => (await chips(page)).length === 2);
  assert.deepEqual((await chips(page)).map(([kind]) => kind), ["file", "image"]);

  // Looked at, and taken away again.
  await page.click("[data-testid=attachment] button");
  await stage.see("attachment-sheet");
  await stage.reads("expected seven ships");
  assert.deepEqual(await stage.axe(), []);
  await page.keyboard.press("Escape");
  await chat.until("the sheet to close", async () => (await chat.count("attachment-sheet")) === 0);
  await chat.click("attachment-remove", 1);
  await chat.until("one to be left", async () => (await chips(page)).length === 1);
  await picker.uploadFile(picture);
  await chat.until("the picture again", async () => (await chips(page)).length === 2);

  await panel.send("What do you see?");
  assert.equal(await panel.waitTurn(["complete", "failed"]), "complete");
  assert.match(last(server), /expected seven ships, found six/);
  assert.match(last(server), /data:image\/png;base64,/);
  assert.deepEqual(await chips(page), [], "what was sent is no longer beside the message");
  assert.equal(await chat.count("turn", " [data-testid=attachment]"), 2);
  assert.deepEqual(await stage.axe(), []);
});

const looks = bySaying([/Look at/, { calls: [{ id: "r1", name: "fs_read", args: { path: "boat.png" } }] }, { text: "A boat." }], [/./, { text: "The same boat." }]);

flow("attachments: a picture that the agent reads is shown, and sent once it is known that the model takes some", { model: looks, files: { "boat.png": smallPicture() } }, async ({ stage, panel, chat, page, server }) => {
  await panel.send("Look at the boat");
  assert.equal(await panel.waitTurn(["complete", "failed"]), "complete");
  assert.match(last(server), /not known whether this model takes pictures/);
  assert.doesNotMatch(last(server), /data:image/);
  await page.click("[data-testid=tool-card] button");
  await chat.until("the picture in the card", async () => (await chat.count("tool-card", " [data-testid=attachment]")) === 1);
  await page.click("[data-testid=tool-card] [data-testid=attachment] button");
  await stage.see("attachment-sheet");
  await chat.until("the picture itself", () => page.$eval("[data-testid=attachment-sheet] img", (image) => image.complete && image.naturalWidth > 0).catch(() => false));
  assert.deepEqual(await stage.axe(), []);
  await page.keyboard.press("Escape");
  await chat.until("the sheet to close", async () => (await chat.count("attachment-sheet")) === 0);

  const picture = stage.scratch.path("mine.png");
  writeFileSync(picture, smallPicture());
  await (await page.$("[data-testid=attach-picker]")).uploadFile(picture);
  await chat.until("the picture beside the message", async () => (await chips(page)).some(([kind]) => kind === "image"));
  assert.equal(await chat.turn("And this one?"), "complete");
  assert.equal(last(server).match(/data:image\/png;base64,/g)?.length, 2);
});

flow("attachments: a page with a preview, and a selection", { model }, async ({ stage, panel, chat, page, server }) => {
  const web = await WebPage.open(stage);
  await chat.click("attach");
  await chat.click("attach-page");
  await stage.see("page-sheet");
  await stage.reads("Seven ships lie at the pier.");
  assert.deepEqual(await stage.axe(), []);
  assert.deepEqual(await chips(page), [], "nothing of a page comes in unseen");
  await chat.click("page-attach");
  await chat.until("the page beside the message", async () => (await chips(page))[0]?.[0] === "page");

  await web.select("#ships");
  await chat.click("attach");
  await chat.click("attach-selection");
  await stage.see("page-sheet");
  await chat.click("page-attach");
  await chat.until("the selection beside it", async () => (await chips(page)).length === 2);
  assert.match((await chips(page))[1].join(" "), /^selection .*127\.0\.0\.1/s);

  await panel.send("How many ships?");
  assert.equal(await panel.waitTurn(["complete", "failed"]), "complete");
  assert.match(last(server), /Ships in the harbour/);
  assert.match(last(server), /The tides of today/);
});

flow("context menu: page, selection, link and picture, with another profile", { model }, async ({ stage, panel, chat, page, server }) => {
  const web = await WebPage.open(stage);
  // In Firefox the page has a window of its own, whose sidebar takes what is asked there. The panel in this window has it when one comes back
  // to it: both stand at the same new conversation.
  const comeBack = () => stage.name === "firefox" && page.evaluate(() => void dispatchEvent(new Event("focus")));
  const come = (what, count) => chat.until(`${what} from the menu`, async () => (await comeBack(), (await chips(page)).length === count));
  await web.ask("h1");
  await come("the page", 1);
  await web.ask("#picture");
  await come("the picture", 2);
  await web.ask("#link");
  await come("the link", 3);
  await web.select("#ships");
  await web.ask("#ships", { profile: "review" });
  await come("the selection", 4);
  assert.deepEqual((await chips(page)).map(([kind]) => kind), ["page", "image", "selection", "selection"]);
  await chat.until("the other profile", async () => /Review/.test((await chat.words("profile-select"))[0]));

  await panel.send("What is all this?");
  assert.equal(await panel.waitTurn(["complete", "failed"]), "complete");
  for (const part of [/Ships in the harbour/, /\/tides/, /data:image\/png;base64,/, /Seven ships lie at the pier/]) assert.match(last(server), part);
});
