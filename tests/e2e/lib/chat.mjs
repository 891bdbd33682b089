// The finer things a person does in the conversation: parts of a card, what waits, turns. By test ids alone, like the panel itself.
import { pressable } from "./pressable.mjs";
import { waitUntil } from "./wait.mjs";

const id = (name, rest = "") => `[data-testid=${name}]${rest}`;

export class Chat {
  constructor(panel) {
    this.panel = panel;
    this.page = panel.page;
  }

  async until(what, look, timeoutMs = 60_000) {
    return waitUntil(what, look, { timeoutMs, describe: () => this.panel.words() });
  }

  async count(name, rest = "") {
    return (await this.page.$$(id(name, rest))).length;
  }

  async words(name) {
    return this.page.$$eval(id(name), (nodes) => nodes.map((node) => node.innerText));
  }

  /** A click where a person would click: it waits until the thing is there and a press would reach it. `place` from 0, or -1 for the last. */
  async click(name, place = 0) {
    await this.press(id(name), place);
  }

  async press(selector, place = 0) {
    const node = await this.until(`\`${selector}\` to press`, () => pressable(this.page, selector, { place }));
    await node.click();
  }

  async armed() {
    await this.page.waitForSelector(`${id("approval-card")}[data-armed=true]`, { timeout: 60_000 });
  }

  /** Chooses a radio button or a tick box by its label's test id. */
  async choose(name) {
    await this.page.waitForSelector(id(name), { timeout: 60_000 });
    await this.page.$eval(`${id(name)} input`, (input) => input.click());
  }

  async turnMenu(item, place = -1) {
    await this.click("turn-menu", place);
    await this.click(item);
  }

  async write(text) {
    await this.page.click(id("composer-input"));
    await this.page.type(id("composer-input"), text);
  }

  /** Ends with a key, as a person sends. */
  async say(text, { steer = false } = {}) {
    await this.write(text);
    if (steer) await this.page.keyboard.down("Control");
    await this.page.keyboard.press("Enter");
    if (steer) await this.page.keyboard.up("Control");
    await this.until("the box to be empty", () => this.page.$eval(id("composer-input"), (box) => box.value === ""));
  }

  /** Says it and waits for the end of the turn that it begins, and of no earlier one. */
  async turn(text) {
    const before = await this.count("turn");
    await this.panel.send(text);
    await this.until("the turn to begin", async () => (await this.count("turn")) > before);
    return this.panel.waitTurn(["complete", "failed", "cancelled"]);
  }

  async turns() {
    return this.page.$$eval(id("user-message"), (messages) => messages.map((message) => message.innerText.split("\n").at(-1)));
  }
}
