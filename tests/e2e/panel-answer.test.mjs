// What the agent says and does, as it is read: thought, markdown and code while they stream in, and the cards of its calls, opened and shut.
import assert from "node:assert/strict";
import { bySaying, flow } from "./lib/flow.mjs";

const ANSWER = "It is in `add`:\n\n```js\nexport function add(a, b) {\n  return a + b; // a comment\n}\n```\n\n| part | state |\n|---|---|\n| basket | whole |\n\n1. One\n2. Two\n\n<img src=x onerror=alert(1)> stays text, ![a tracker](https://tracker.example/p.png) is not asked for, and [the docs](https://docs.example.org/a/b) say where they lead, unlike [this](javascript:alert(1)).";
const model = bySaying([
  /Look and say/,
  { reasoning: "I look at both first.", text: "A look first.", calls: [{ id: "r1", name: "fs_read", args: { path: "package.json" } }, { id: "r2", name: "fs_read", args: { path: "not/there.js" } }] },
  { text: ANSWER, chunkMs: 30, piece: 8 },
]);

flow("an answer as it streams in: markdown, code, nothing foreign; the cards of its calls, opened by mouse and by key", { model }, async ({ stage, panel, chat, page }) => {
  await panel.send("Look and say");

  // Half of it is there before the whole, drawn as what it is.
  await chat.until("a part of the answer", async () => (await page.$("[data-testid=turn][data-state=running] pre code")) !== null);
  const half = (await panel.assistantMessages()).at(-1);
  assert.equal(await panel.waitTurn(["complete", "failed"]), "complete");
  const whole = (await panel.assistantMessages()).at(-1);
  assert.ok(half.length < whole.length, "it was read while it came");

  const drawn = await page.$$eval("[data-testid=assistant-message]", (messages) => {
    const last = messages.at(-1);
    const code = last.querySelector("pre code");
    return {
      code: code.textContent,
      colours: new Set([...code.querySelectorAll("span")].map((span) => getComputedStyle(span).color)).size,
      cells: [...last.querySelectorAll("td")].map((cell) => cell.textContent),
      items: last.querySelectorAll("ol > li").length,
      foreign: last.querySelectorAll("img, script, iframe, object").length,
      links: [...last.querySelectorAll("a")].map((link) => [link.getAttribute("href"), link.rel.includes("noopener"), link.textContent]),
    };
  });
  assert.match(drawn.code, /return a \+ b; \/\/ a comment/);
  assert.deepEqual([drawn.cells, drawn.items, drawn.foreign], [["basket", "whole"], 2, 0]);
  assert.deepEqual(drawn.links, [["https://docs.example.org/a/b", true, "the docsdocs.example.org"]]);
  for (const words of ["<img src=x onerror=alert(1)>", "a tracker", "javascript:alert(1)"]) assert.ok(whole.includes(words), words);
  // The colours of code are loaded after the first picture.
  await chat.until("code in colours", () => page.$eval("[data-testid=assistant-message]:last-of-type pre code, [data-testid=turn] pre code", (code) => code.querySelectorAll("span").length > 3));

  // What it thought is there for whoever wants it.
  const thought = (await page.$$("[data-testid=turn] button[aria-expanded=false]")).at(0);
  await thought.click();
  await stage.reads("I look at both first.");

  // A card is a line: what, on what, how it ended; opened, everything, and what would help.
  const cards = await panel.toolCards();
  assert.deepEqual(cards.map(({ tool, state }) => [tool, state]), [["fs_read", "done"], ["fs_read", "failed"]]);
  assert.match(cards[0].words, /package\.json/);
  const toggle = async (place) => (await page.$$("[data-testid=tool-card] > button")).at(place);
  await (await toggle(0)).click();
  await stage.reads(/"path": "package\.json"/);
  await (await toggle(1)).focus();
  await page.keyboard.press("Enter");
  await stage.reads("not_found");
  assert.match((await panel.toolCards())[1].words, /not\/there\.js/);
  assert.deepEqual(await stage.axe(), []);
  await page.keyboard.press("Enter");
  await chat.until("the card to be shut", async () => (await (await toggle(1)).evaluate((button) => button.ariaExpanded ?? button.getAttribute("aria-expanded"))) === "false");

  // Whoever reads further up and says something is at the end again, where it stands.
  const isAtEnd = () => page.$eval("[data-testid=transcript]", (box) => box.scrollHeight - box.clientHeight - box.scrollTop < 40);
  // What grows in the very frame in which they do does not pull them back.
  await page.$eval("[data-testid=transcript]", async (box) => {
    const frame = () => new Promise(requestAnimationFrame);
    box.scrollTop = 0;
    box.firstElementChild.style.minHeight = "1500px";
    await frame();
    await frame();
    box.firstElementChild.style.minHeight = "";
    await frame();
  });
  assert.equal(await isAtEnd(), false);
  assert.equal(await chat.turn("And once more"), "complete");
  await chat.until("the end of the conversation", isAtEnd);
});
