// What comes and goes by itself takes neither the room nor the button one reaches for: long receipts give way, a press that was on its
// way when a card's answers moved answers nothing, and a turn that was found is seen from its beginning.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Gallery } from "./lib/gallery.mjs";
import { waitUntil } from "./lib/wait.mjs";

const BROWSERS = (process.env.LOOKS_BROWSERS ?? "chromium").split(",");

for (const name of BROWSERS) {
  test(`${name}: nothing moves from under a hand, and nothing hides what one looks at`, { timeout: 600_000 }, async (t) => {
    const gallery = await Gallery.open(name);
    try {
      await t.test("three long receipts take two fifths of the room; what gave way comes back, and all of a message is read", async () => {
        for (const [width, height, lang] of [[360, 700, "en"], [360, 700, "de"], [360, 480, "en"], [1200, 800, "zh"]]) {
          const page = await gallery.page({ width, height });
          await gallery.show(page, "receipts", { lang });
          await waitUntil("three receipts", async () => (await page.$$("[data-testid=receipt]")).length === 3);
          const now = await page.evaluate(receiptsOf);
          const at = `${width} × ${height}, ${lang}`;
          assert.ok(now.shown.length >= 1, at);
          assert.ok(now.shown.at(-1).includes("screenshot"), `the newest stands, at ${at}`);
          assert.ok(now.shown.length === 1 || now.high <= now.room * 0.4 + 1, `${now.high} of ${now.room} at ${at}`);
          for (const lines of now.lines) assert.ok(lines <= 3, `${lines} lines at ${at}`);
          await page.close();
        }
        const page = await gallery.page();
        await gallery.show(page, "receipts");
        const close = () => page.evaluate(lastClose);
        const before = await close();
        await page.evaluate(() => [...document.querySelectorAll("[data-testid=receipt-close]")].at(-1).focus());
        await waitUntil("all of the message", () => page.evaluate(() => [...document.querySelectorAll("[data-testid=receipt]")].at(-1).querySelector(".line-clamp-3") === null));
        assert.deepEqual(await close(), before, "its button stands where it stood");
        assert.equal((await page.evaluate(receiptsOf)).shown.length, 2);
        await page.keyboard.press("Enter");
        await waitUntil("the older one", async () => (await page.evaluate(receiptsOf)).shown.some((words) => words.includes("docs.example.org")));
        await page.close();
      });

      await t.test("a press that was on its way when the answers moved is not taken; a key is", async () => {
        const page = await gallery.page();
        const asks = () => page.evaluate(() => document.querySelector("[data-testid=approval-allow]") !== null);
        const armed = () => page.waitForSelector("[data-testid=approval-card][data-armed=true]");
        for (const where of ["below", "above"]) {
          await gallery.show(page, where === "below" ? "approve-hunks" : "approve-stage");
          await armed();
          await page.evaluate(settled);
          assert.equal(await page.evaluate(pressAsItMoves, where), "approval-allow", "the press went to Allow");
          assert.ok(await asks(), `it still asks, with a strip ${where}`);
          await armed();
          await page.click("[data-testid=approval-allow]");
          await waitUntil("the answer", async () => !(await asks()));
        }
        await gallery.show(page, "approve-hunks");
        await armed();
        await page.focus("[data-testid=approval-card]");
        await page.evaluate(settled);
        await page.evaluate(addStrip, "below");
        await page.keyboard.press("a");
        await waitUntil("the answer by key", async () => !(await asks()));
        // What a person opens in the card moves its answers, too: that is no reason to wait.
        await gallery.show(page, "approve-stage");
        await armed();
        await page.evaluate(settled);
        await page.click("[data-testid=approval-card] details summary, [data-testid=approval-card] button[aria-expanded=false]");
        await page.evaluate(settled);
        assert.equal(await page.$eval("[data-testid=approval-card]", (card) => card.dataset.armed), "true");
        await page.close();
      });

      await t.test("nor is one on a waiting message or a question that moved", async () => {
        const page = await gallery.page();
        await gallery.show(page, "queue");
        await page.evaluate(settled);
        assert.equal(await page.evaluate(pressAsItMoves, "below", "queue-text"), "queue-text", "the press went to a message");
        assert.equal(await page.$("[data-testid=queue-edit]"), null, "it is not being changed");
        await page.waitForFunction(() => document.querySelector("[data-stirred]") === null);
        await page.click("[data-testid=queue-text]");
        await page.waitForSelector("[data-testid=queue-edit]");
        await gallery.show(page, "question-active");
        await page.waitForSelector("[data-testid=question-card][data-armed=true]");
        await page.evaluate(settled);
        assert.equal(await page.evaluate(pressAsItMoves, "above", "question-skip"), "question-skip");
        assert.equal(await page.$eval("[data-testid=question-skip]", (button) => button.disabled), false, "it still asks");
        await page.waitForSelector("[data-testid=question-card][data-armed=true]");
        await page.click("[data-testid=question-skip]");
        await page.waitForSelector("[data-testid=question-skip]:disabled");
        await page.close();
      });

      await t.test("the way to what waits is offered while that is out of sight, and not above its own buttons", async () => {
        for (const [scene, height] of [["approve-hunks", 700], ["approve-stage", 700], ["question-active", 700], ["agent-asks", 700], ["approve-edit", 420]]) {
          const page = await gallery.page({ height });
          await gallery.show(page, scene);
          await page.evaluate(settled);
          const bar = () => page.$("[data-testid=waiting-bar]");
          assert.equal(await bar(), null, `${scene}: its card is in sight`);
          // Long enough that the card can leave the view.
          await page.evaluate(() => document.querySelector("[role=log]").firstElementChild.prepend(Object.assign(document.createElement("div"), { style: "height:2000px" })));
          await page.evaluate(settled);
          assert.equal(await bar(), null, `${scene}: it follows its card`);
          await page.evaluate(() => {
            const box = document.querySelector("[role=log]");
            box.dispatchEvent(new WheelEvent("wheel"));
            box.scrollTop = 0;
          });
          await page.waitForSelector("[data-testid=waiting-bar]");
          await page.evaluate(settled);
          await page.click("[data-testid=waiting-show]");
          await waitUntil(`${scene}: the bar goes`, async () => (await bar()) === null);
          const card = await page.evaluate(() => {
            const { top } = document.querySelector("[data-testid=approval-card], [data-testid=question-card]").getBoundingClientRect();
            return Math.round(top - document.querySelector("[role=log]").getBoundingClientRect().top);
          });
          assert.ok(card >= 0 && card < height / 2, `${scene}: the card begins at ${card}`);
          await page.close();
        }
      });

      await t.test("a turn that was found is seen from its beginning, and nothing lies over its end", async () => {
        for (const height of [640, 690, 700, 705, 720, 800]) {
          const page = await gallery.page({ width: 360, height });
          await gallery.show(page, "found");
          await page.evaluate(settled);
          // Code gets its colours, a picture comes: near the end, that brings nobody there.
          await page.evaluate(() => document.querySelector("[role=log] > div").append(Object.assign(document.createElement("div"), { style: "height:6px" })));
          await page.evaluate(settled);
          const { top, boxTop, jump, left } = await page.evaluate(foundPlace);
          assert.ok(top >= boxTop, `its beginning is ${boxTop - top} px above the view at ${height}`);
          assert.equal(jump, left > 32, `${left} px are left at ${height}`);
          await page.close();
        }
      });

      await t.test("while an answer grows at the end of a long conversation, no turn before it comes and goes, nor is out of reach", async () => {
        const page = await gallery.page();
        await gallery.show(page, "huge-stream");
        const length = () => page.evaluate(() => [...document.querySelectorAll("[data-testid=turn]")].at(-1).textContent.length);
        await waitUntil("the answer begins", async () => (await length()) > 400);
        await page.evaluate(countTurns);
        const before = await length();
        // It stands and goes on, as under load: each time the list thinks that the scrolling is over.
        for (let round = 0; round < 6; round += 1) {
          await page.evaluate(() => { for (const end = performance.now() + 250; performance.now() < end;); });
          await page.evaluate(settled);
        }
        await waitUntil("much more of it", async () => (await length()) > before + 1_200);
        assert.deepEqual(await page.evaluate(() => [globalThis.turnsThatCame, globalThis.outOfReach]), [0, 0]);
        await page.close();
      });
    } finally {
      await gallery.close();
    }
  });
}

/** Runs in the page. */
function receiptsOf() {
  const all = [...document.querySelectorAll("[data-testid=receipt]")].filter((receipt) => receipt.getClientRects().length > 0);
  const main = document.querySelector("main").getBoundingClientRect();
  const dock = document.querySelector("[data-testid=composer-input]").closest("[data-region]").getBoundingClientRect();
  const boxes = all.map((receipt) => receipt.getBoundingClientRect());
  return {
    shown: all.map((receipt) => receipt.textContent),
    lines: all.map((receipt) => Math.round(receipt.querySelector("span > span").getBoundingClientRect().height / 20)),
    high: Math.max(...boxes.map(({ bottom }) => bottom)) - Math.min(...boxes.map(({ top }) => top)),
    room: dock.top - main.top,
  };
}

/** Runs in the page: how often a turn is put into it from now on, or something lets no pointer through to them. */
function countTurns() {
  globalThis.turnsThatCame = 0;
  globalThis.outOfReach = 0;
  const isTurn = (node) => node.nodeType === Node.ELEMENT_NODE && (node.matches("[data-testid=turn]") || node.querySelector("[data-testid=turn]") !== null);
  new MutationObserver((all) => {
    for (const { addedNodes, target } of all) {
      globalThis.turnsThatCame += [...addedNodes].filter(isTurn).length;
      if (target.style.pointerEvents === "none" && target.querySelector("[data-testid=turn]") !== null) globalThis.outOfReach += 1;
    }
  }).observe(document.body, { childList: true, subtree: true, attributeFilter: ["style"] });
}

/** Runs in the page. */
function lastClose() {
  const { left, top } = [...document.querySelectorAll("[data-testid=receipt-close]")].at(-1).getBoundingClientRect();
  return [left, top].map(Math.round);
}

/** Runs in the page: two pictures and a moment later. */
async function settled() {
  for (let picture = 0; picture < 3; picture += 1) await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 30)));
}

/** Runs in the page. */
function addStrip(where) {
  const strip = document.createElement("div");
  strip.style.cssText = "height:40px;flex-shrink:0";
  const main = document.querySelector("main");
  if (where === "above") main.before(strip);
  else document.querySelector("[data-testid=composer-input]").closest("[data-region]").before(strip);
}

/** Runs in the page: something comes, and in the next picture the hand is down on what stands there now. Tells where the press went. */
async function pressAsItMoves(where, name = "approval-allow") {
  const strip = document.createElement("div");
  strip.style.cssText = "height:40px;flex-shrink:0";
  const main = document.querySelector("main");
  if (where === "above") main.before(strip);
  else document.querySelector("[data-testid=composer-input]").closest("[data-region]").before(strip);
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const { left, top, width, height } = document.querySelector(`[data-testid=${name}]`).getBoundingClientRect();
  const hit = document.elementFromPoint(left + width / 2, top + height / 2).closest("[data-testid]");
  hit.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, detail: 1 }));
  return hit.dataset.testid;
}

/** Runs in the page. */
function foundPlace() {
  const box = document.querySelector("[role=log]");
  const turn = [...box.querySelectorAll("[data-turn]")].at(-1);
  return {
    top: Math.ceil(turn.getBoundingClientRect().top),
    boxTop: box.getBoundingClientRect().top,
    left: box.scrollHeight - box.clientHeight - box.scrollTop,
    jump: [...box.parentElement.children].some((child) => child !== box && child.querySelector("button") !== null),
  };
}
