// What hands do to a panel in daily use: paste and drop, take a session along to another browser profile, run out of room, and go up
// and down in a session of twenty turns, back to the seventh and forth again. That takes minutes: `HANDS=all` has it in each browser.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { bySaying, flow } from "./lib/flow.mjs";
import { explainLogFaults, readLog } from "./lib/log.mjs";
import { BROWSERS, onStage } from "./lib/screen-stage.mjs";
import { sleep } from "./lib/wait.mjs";
import { smallPicture } from "./lib/web-page.mjs";

const chips = (page) => page.$$eval("[data-testid=attachment]", (nodes) => nodes.filter((node) => node.closest("[data-testid=turn]") === null).map((node) => node.innerText.replaceAll("\n", " ")));
const picture = { name: "image.png", type: "image/png", base64: smallPicture().toString("base64") };
const notes = { name: "notes.txt", type: "text/plain", base64: Buffer.from("seven ships\n").toString("base64") };

flow("pasted and dropped: a picture, cells of a table, a file, and 300 kB of text", { model: bySaying([/./, { text: "I have it." }]) }, async ({ panel, chat, page, server }) => {
  assert.equal(await page.evaluate(hand, "paste", [picture], ""), true);
  await chat.until("the picture", async () => (await chips(page)).length === 1);
  // A spreadsheet puts a picture of the cells beside their words: the words are what the browser pastes then.
  assert.equal(await page.evaluate(hand, "paste", [picture], "price\tweight"), false);
  assert.equal(await page.evaluate(hand, "dragover", [notes], ""), true);
  await chat.until("the place to drop on", async () => (await chat.count("drop-hint")) === 1);
  await page.evaluate(hand, "drop", [notes], "");
  await chat.until("the file", async () => (await chips(page)).some((chip) => chip.includes("notes.txt")));
  assert.equal(await chat.count("drop-hint"), 0);
  assert.equal((await chips(page)).length, 2);

  // More than anyone reads in a box goes beside the message; what a keyboard could have written stays in it.
  const long = `${"a line of a long log, pasted as it is\n".repeat(8_000).slice(0, 300_000)}END`;
  assert.equal(await page.evaluate(hand, "paste", [], long), true);
  await chat.until("the long text", async () => (await chips(page)).some((chip) => chip.includes("Pasted text")));
  const words = `${"a line of a short log, pasted as it is\n".repeat(480)}LAST`;
  assert.equal(await page.evaluate(hand, "paste", [], words), false);
  await page.evaluate(paste, words);
  await page.keyboard.type(" and more");
  assert.equal(await page.$eval("[data-testid=composer-input]", (box) => box.value.length), words.length + 9);
  await page.keyboard.press("Enter");
  assert.equal(await panel.waitTurn(["complete", "failed"]), "complete");
  const sent = JSON.stringify(server.requests.at(-1).body.messages);
  for (const part of ["LAST and more", "of a long log, pasted", "END", "seven ships"]) assert.ok(sent.includes(part), part);
  // Of a long message the beginning is shown: its answer is in sight.
  assert.ok((await page.$eval("[data-testid=user-message]", (message) => message.getBoundingClientRect().height)) < 400);
});

const job = bySaying(
  [/Change/, { text: "Reading **first**.", calls: [{ id: "r", name: "fs_read", args: { path: "note.txt" } }] }, { calls: [{ id: "e", name: "fs_edit", args: { path: "note.txt", edits: [{ old_text: "one", new_text: "two" }] } }] }, { text: "Changed `note.txt`." }],
  [/./, { text: "Fine." }],
);

flow("a session goes to another profile as a file; what is no session is told so", { model: job, files: { "note.txt": "one <b>\n" } }, async ({ stage, panel, chat, page }) => {
  await panel.send("Change the note <script>alert(1)</script> & more");
  await panel.waitApproval("fs_edit");
  await panel.allow();
  assert.equal(await panel.waitTurn(["complete", "failed"]), "complete");
  assert.equal(await chat.turn("And now?"), "complete");
  const said = await chat.turns();
  await page.evaluate(() => {
    globalThis.exported = [];
    const make = URL.createObjectURL.bind(URL);
    URL.createObjectURL = (blob) => (void blob.text().then((text) => globalThis.exported.push(text)), make(blob));
  });
  await stage.press("open-history");
  for (const [count, format] of ["export-markdown", "export-html", "export-json"].entries()) {
    await stage.see("session-more");
    await page.evaluate(() => document.querySelector("[data-testid=session-more]").focus());
    await stage.press("session-more");
    await stage.press(format);
    await stage.until(format, () => page.evaluate((wanted) => globalThis.exported.length > wanted, count));
  }
  const [markdown, html, json] = await page.evaluate(() => globalThis.exported);
  assert.match(markdown, /## You\n\nChange the note[\s\S]*-one <b>\n\+two <b>[\s\S]*Changed `note\.txt`\./u);
  assert.doesNotMatch(html, /<script/u);
  assert.match(html, /&lt;script&gt;/u);

  const file = (name, content) => (writeFileSync(stage.scratch.path(name), content), stage.scratch.path(name));
  const [good, cut, other] = [file("session.json", json), file("cut.json", json.slice(0, json.length / 2)), file("other.json", '{"hello":1}')];
  await onStage(stage.name, {}, async (there) => {
    const choose = async (name) => (await there.see("import-file")).uploadFile(name);
    await there.press("open-history");
    for (const bad of [cut, other]) {
      await choose(bad);
      await there.reads("This file holds no session of Outrigger.");
      await there.press("receipt-close");
    }
    await choose(good);
    await there.until("both turns", async () => (await there.panel.turnStates()).join() === "complete,complete");
    assert.deepEqual(await there.page.$$eval("[data-testid=user-message]", (messages) => messages.map((message) => message.innerText.split("\n").at(-1))), said);
    await there.reads("Changed note.txt.");
    assert.deepEqual(await there.axe(), []);
  });
});

flow("a full disk: what was written stays in the box, a card stays, and both go on when there is room", { model: job, files: { "note.txt": "one\n" } }, async ({ stage, panel, chat, page, folder }) => {
  // Firefox's background is out of a driver's reach.
  if (stage.name === "firefox") return;
  const fill = (isFull) => stage.browser.inBackground(setFull, isFull);
  const box = () => page.$eval("[data-testid=composer-input]", (field) => field.value);
  assert.equal(await chat.turn("Hello"), "complete");
  await fill(true);
  await panel.send("Change it");
  await stage.reads("There is no room to write this down.");
  assert.doesNotMatch(await panel.words(), /Something in Outrigger failed/u);
  assert.equal(await box(), "Change it");
  assert.deepEqual(await stage.axe(), []);
  await fill(false);
  await stage.press("receipt-close");
  await chat.click("send");
  await panel.waitApproval("fs_edit");
  await panel.readApproval();
  await chat.until("the notice to go by itself", async () => (await chat.count("storage-notice")) === 0);

  await fill(true);
  await chat.click("approval-allow");
  await stage.reads("There is no room to write this down.");
  await panel.waitApproval("fs_edit");
  assert.equal(readFileSync(path.join(folder, "note.txt"), "utf8"), "one\n", "nothing is done that cannot be written down");
  await fill(false);
  await panel.readApproval();
  // A press again where the first was not taken: what moves under the hand (notices come and go here) takes none.
  await chat.until("the answer to be taken", async () => {
    await page.click("[data-testid=approval-card][data-armed=true] [data-testid=approval-allow]").catch(() => {});
    await sleep(400);
    return (await panel.approvalCards()).length === 0;
  });
  assert.equal(await panel.waitTurn(["complete", "failed"]), "complete");
  assert.equal(readFileSync(path.join(folder, "note.txt"), "utf8"), "two\n");
});

/** Room for a profile and no more than is soon filled. */
const SMALL_MIB = 320;

flow("a disk that is full, the browser's own: said, nothing lost, and on when there is room", { model: job, files: { "note.txt": "one\n" }, diskMebibytes: SMALL_MIB, timeoutMs: 400_000 }, async ({ context, stage, panel, chat, page, folder }) => {
  const { disk } = stage;
  // Nobody else may make a disk: there the other test, with a store that says so, has to do.
  if (disk === null) return context.skip("this user may mount no disk");
  const box = () => page.$eval("[data-testid=composer-input]", (field) => field.value);
  assert.equal(await chat.turn("Hello"), "complete");
  disk.fill();
  // Firefox has some room of its own in its write-ahead log: what still fits there is written down, and done.
  const isSaid = async () => /There is no room to write this down|A session could not be written down|The disk is full, so the browser has shut/u.test(await panel.words());
  let said = 0;
  do {
    said += 1;
    await page.focus("[data-testid=composer-input]");
    await page.evaluate(paste, `Say ${said}: ${"what fills a page. ".repeat(600)}`);
    await page.keyboard.press("Enter");
    await chat.until("an answer, or that there is no room", async () => (await isSaid()) || (await panel.turnStates()).filter((state) => state === "complete").length > said);
  } while (!(await isSaid()) && said < 100);
  assert.doesNotMatch(await panel.words(), /Something in Outrigger failed/u);
  assert.ok((await box()).startsWith(`Say ${said}: `) || (await panel.turnStates()).length === said + 1, "what was said is in the box or in the session");
  assert.deepEqual(await stage.axe(), []);
  disk.empty();
  // Chromium had shut its store; with room it is opened again by itself.
  await chat.until("the notice to go", async () => !(await panel.words()).includes("The disk is full"));
  await chat.until("what was said to be taken", async () => {
    if ((await box()) === "") return true;
    await chat.click("send");
    await sleep(2_000);
    return (await box()) === "";
  });
  await chat.until("the end of what was said", async () => {
    const states = await panel.turnStates();
    return states.length === said + 1 && !states.includes("running");
  });
  assert.deepEqual(explainLogFaults(await readLog(page)), []);

  await panel.send("Change it");
  await panel.waitApproval("fs_edit");
  await panel.readApproval();
  await panel.allow();
  assert.equal(await panel.waitTurn(["complete", "failed"]), "complete");
  assert.equal(readFileSync(path.join(folder, "note.txt"), "utf8"), "two\n");
  const log = await readLog(page);
  assert.deepEqual(explainLogFaults(log), []);
  if (stage.name !== "chromium") return;

  // What Chromium leaves in its log when a write finds no room takes all there is along at the next start, where it is written on behind it.
  await stage.browser.close();
  await stage.launch();
  assert.deepEqual((await readLog(stage.page)).map(({ id }) => id), log.map(({ id }) => id));
});

// Who opens the store again behind a write that found no room, and writes, loses all of it at the next start of the browser.
flow("a disk that was full, and a background that ended meanwhile: nothing is lost at the next start", { model: job, diskMebibytes: SMALL_MIB, browsers: BROWSERS.filter((name) => name === "chromium") }, async ({ context, stage, panel, chat, page }) => {
  const { disk } = stage;
  if (disk === null) return context.skip("this user may mount no disk");
  assert.equal(await chat.turn("Hello"), "complete");
  const before = await readLog(page);
  disk.fill();
  await panel.send(`Say ${"what fills a page. ".repeat(20)}`);
  await chat.until("that it was not written down", async () => /The disk is full|There is no room/u.test(await panel.words()));
  disk.empty();
  await stage.browser.stopWorker();
  await chat.until("the panel to be served again", async () => (await stage.browser.browser.targets()).some((target) => target.type() === "service_worker"));
  // What was not written down is in the box still; where the message was, its turn is gone on with first.
  await panel.send("And now");
  await chat.until("the end of what was said", async () => (await chat.turns()).at(-1)?.includes("And now") && (await panel.turnStates()).every((state) => state === "complete"));
  // A store that nobody has open is shut, and read from the disk the next time.
  await stage.browser.close();
  await stage.launch();
  const log = await readLog(stage.page);
  for (const { id } of before) assert.ok(log.some((event) => event.id === id), `${id} is gone`);
  assert.deepEqual(explainLogFaults(log), []);
});

// The engine that cannot read what is stored must not call it gone, whoever asks, and needs no start of the browser when there is room.
flow("a background that starts while the disk is still full says that, and has all of it when there is room", { model: job, diskMebibytes: SMALL_MIB, timeoutMs: 400_000 }, async ({ context, stage, panel, chat, page }) => {
  const { disk } = stage;
  if (disk === null) return context.skip("this user may mount no disk");
  const loss = /not there any more|New session|Private window|cannot be opened|lost what was stored/u;
  const toldOn = async (what, shown, forMs = 8_000) => {
    await stage.until(`${what}: that the disk is full`, async () => /The disk is full/u.test(await shown.evaluate(() => document.body.innerText)));
    for (const end = Date.now() + forMs; Date.now() < end; await sleep(200)) {
      const words = await shown.evaluate(() => document.body.innerText);
      assert.match(words, /The disk is full/u, what);
      assert.doesNotMatch(words, loss, what);
    }
    assert.deepEqual(await stage.axe(shown), []);
    if (process.env.E2E_PICTURES) await shown.screenshot({ path: `${process.env.E2E_PICTURES}/full-disk-${what.replaceAll(" ", "-")}.png` });
  };
  assert.equal(await chat.turn("Hello"), "complete");
  const before = await readLog(page);
  disk.fill();
  if (stage.name === "firefox") {
    // It reads on a full disk what was stored, so there is nothing to say.
    await stage.browser.stopBackground();
    disk.fill();
    for (const again of [true, false]) {
      await stage.until("the conversation", async () => (await stage.panel.turnStates()).join() === "complete");
      for (const end = Date.now() + 5_000; Date.now() < end; await sleep(200)) assert.doesNotMatch(await stage.panel.words(), loss);
      assert.equal((await stage.panel.turnStates()).join(), "complete");
      await stage.closePanel();
      if (again) await stage.openPanel();
    }
    return;
  }
  await panel.send(`Say ${"what fills a page. ".repeat(20)}`);
  await chat.until("that it was not written down", async () => /The disk is full|There is no room/u.test(await panel.words()));

  await stage.browser.stopWorker();
  disk.fill();
  await toldOn("the open panel", page);
  assert.equal((await panel.turnStates())[0], "complete", "what it shows stays");
  await stage.press("storage-retry");
  await stage.reads("The disk is full");
  await stage.closePanel();
  await stage.openPanel();
  await toldOn("a new panel", stage.page);
  assert.equal(await stage.count("composer-input"), 0);

  await stage.browser.close();
  disk.fill();
  await stage.launch();
  disk.fill();
  await toldOn("a new browser", stage.page);
  disk.empty();
  await stage.see("composer-input");
  await stage.until("the notice to go", async () => (await stage.count("storage-notice")) === 0);
  const log = await readLog(stage.page);
  for (const { id } of before) assert.ok(log.some((event) => event.id === id), `${id} is gone`);
  assert.deepEqual(explainLogFaults(log), []);
  await stage.panel.send("And now");
  await stage.until("the answer", async () => (await stage.panel.turnStates()).filter((state) => state === "complete").length === 2);

  await stage.browser.close();
  await stage.launch();
  const after = await readLog(stage.page);
  for (const { id } of log) assert.ok(after.some((event) => event.id === id), `${id} is gone at the next start`);
});

const writing = (asked) => {
  const step = Number(/Step (\d+)/u.exec(JSON.stringify(asked.messages.findLast(({ role }) => role === "user").content))?.[1]);
  return { text: `Writing ${step}.`, calls: [{ id: `w${step}`, name: "fs_write", args: { path: `f${step}.txt`, content: `file ${step}\n` } }] };
};
const twenty = bySaying([/Step \d+/, writing, { text: `Written. ${"A paragraph of words. ".repeat(30)}` }]);

flow("twenty turns with cards: up and down, back to the seventh, and forth again", { model: twenty, browsers: process.env.HANDS === "all" ? BROWSERS : BROWSERS.slice(0, 1), timeoutMs: 600_000 }, async ({ panel, chat, page, folder }) => {
  const files = () => Array.from({ length: 20 }, (_, place) => (existsSync(path.join(folder, `f${place + 1}.txt`)) ? 1 : 0)).join("");
  const turnOf = (step, rest = "") => page.evaluateHandle((words, selector) => {
    const turn = [...document.querySelectorAll("[data-testid=turn]")].find((each) => each.innerText.includes(words));
    return selector === "" ? turn : turn?.querySelector(selector);
  }, `Step ${step}:`, rest);
  const isThere = async (step) => (await turnOf(step)).asElement() !== null;
  for (let step = 1; step <= 20; step += 1) {
    await panel.send(`Step ${step}: write f${step}.txt`);
    await panel.waitApproval("fs_write");
    await panel.allow();
    await chat.until(`the end of turn ${step}`, async () => (await isThere(step)) && (await (await turnOf(step)).evaluate((turn) => turn.dataset.state === "complete")));
  }
  const log = "[data-testid=transcript]";
  const left = () => page.$eval(log, (box) => box.scrollHeight - box.clientHeight - box.scrollTop);
  await page.focus(log);
  // A key again where the first has not led there: keys are quicker than the glide they begin, and what is drawn on the way ends it.
  const goTo = (what, key, isReached) => chat.until(what, async () => {
    if (await isReached()) return true;
    await page.keyboard.press(key);
    await sleep(400);
    return isReached();
  });
  await goTo("the first turn, going up", "PageUp", () => isThere(1));
  await goTo("the end", "End", async () => (await isThere(20)) && (await left()) < 40);
  await goTo("the beginning", "Home", async () => (await isThere(1)) && page.$eval(log, (box) => box.scrollTop === 0));
  await goTo("the seventh turn, going down", "PageDown", () => isThere(7));

  // The list draws what one comes to: a button may be drawn anew under the pointer.
  await chat.until("the seventh turn's menu", async () => {
    await (await turnOf(7, "[data-testid=turn-menu]")).asElement()?.click().catch(() => {});
    return page.waitForSelector("[data-testid=turn-undo]", { timeout: 3_000 }).catch(() => null);
  });
  await chat.click("turn-undo");
  await chat.until("what would be undone", async () => /And 13 turns after it\.[\s\S]*14 files would change/u.test((await chat.words("undo-sheet"))[0] ?? ""));
  await chat.click("undo-go");
  await chat.until("the files to be gone", () => files() === "11111100000000000000");
  await chat.until("the turns to be gone", async () => (await chat.words("taken-back"))[0]?.includes("14 turns taken back: Step 7") === true);
  assert.ok((await left()) < 40, "its end is in sight");
  await chat.click("bring-back");
  await chat.until("what would come back", async () => /14 files would change/u.test((await chat.words("undo-sheet"))[0] ?? ""));
  await chat.click("undo-go");
  await chat.until("the files to be back", () => files() === "1".repeat(20));
  await page.focus(log);
  await goTo("the last turn", "End", () => isThere(20));
});

/** Runs in the page: files in a hand, let go on the message box or the conversation. True: the panel took them. */
function hand(act, files, words) {
  const data = new DataTransfer();
  for (const { name, type, base64 } of files) data.items.add(new File([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], name, { type }));
  if (words !== "") data.setData("text/plain", words);
  const event = act === "paste" ? new Event(act, { bubbles: true, cancelable: true }) : new DragEvent(act, { bubbles: true, cancelable: true, dataTransfer: data });
  if (act === "paste") Object.defineProperty(event, "clipboardData", { value: data });
  document.querySelector(act === "paste" ? "[data-testid=composer-input]" : "main").dispatchEvent(event);
  return event.defaultPrevented;
}

/** Runs in the page: text comes into the box all at once, as the browser's own paste puts it there. */
function paste(words) {
  const box = document.querySelector("[data-testid=composer-input]");
  box.focus();
  Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value").set.call(box, words);
  box.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: "insertFromPaste" }));
}

/** Runs in the background: from now on the browser has no room, or has it again. */
function setFull(isFull) {
  const { prototype } = IDBObjectStore;
  globalThis.writes ??= { put: prototype.put, add: prototype.add };
  const refuse = () => {
    throw new DOMException("The disk is full.", "QuotaExceededError");
  };
  for (const name of ["put", "add"]) prototype[name] = isFull ? refuse : globalThis.writes[name];
}
