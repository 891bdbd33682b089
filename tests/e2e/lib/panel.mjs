// The panel as a person uses it: it clicks and types, and reads what stands there. Knows the panel by its test ids alone.
import { waitUntil } from "./wait.mjs";

const id = (name, rest = "") => `[data-testid=${name}]${rest}`;

export class Panel {
  constructor(page) {
    this.page = page;
  }

  async connectionState() {
    return this.page.$eval(id("connection-status"), (chip) => chip.dataset.state);
  }

  async waitConnected(timeoutMs = 60_000) {
    await waitUntil("a completed hello with the host", async () => (await this.connectionState()) === "connected", { timeoutMs, describe: () => this.words() });
  }

  /** What a person reads in the whole panel. */
  async words() {
    return this.page.evaluate(() => document.body.innerText);
  }

  async chooseModel(name) {
    await this.#choose("model-select", name);
  }

  async chooseWorkspace(name) {
    await this.#choose("workspace-select", name);
  }

  /** By the value behind an option, or by the words it shows. */
  async #choose(menu, name) {
    await this.page.waitForSelector(id(menu));
    await this.page.click(id(menu));
    const option = await waitUntil(
      `\`${name}\` in ${menu}`,
      async () => {
        for (const candidate of await this.page.$$(id(`${menu}-option`))) {
          const [value, words] = await candidate.evaluate((node) => [node.dataset.value, node.innerText]);
          if (value === name || words.includes(name)) return candidate;
        }
        return null;
      },
      { timeoutMs: 60_000, describe: () => this.words() },
    );
    await option.click();
    await this.page.waitForFunction((selector) => document.querySelector(selector) === null, { timeout: 60_000 }, id(`${menu}-option`));
  }

  async addModelServer({ baseUrl, name }) {
    await this.page.click(id("model-select"));
    await this.page.waitForSelector(id("add-model"));
    await this.page.click(id("add-model"));
    await this.page.waitForSelector(id("server-url"));
    await this.page.type(id("server-url"), baseUrl);
    await this.page.type(id("server-model"), name);
    await this.page.click(id("server-save"));
    await this.page.waitForSelector(id("composer-input"), { timeout: 60_000 });
  }

  async send(text) {
    await this.page.waitForSelector(id("composer-input"));
    await this.page.click(id("composer-input"));
    await this.page.type(id("composer-input"), text);
    // As long as it moves by itself it takes no press.
    await waitUntil("the send button", () => this.page.$eval(id("send"), (button) => !button.disabled && button.closest("[data-stirred]") === null), { timeoutMs: 60_000, describe: () => this.words() });
    await this.page.click(id("send"));
  }

  async stop() {
    await this.page.waitForSelector(`${id("stop")}:not([data-stirred])`);
    await this.page.click(id("stop"));
  }

  async newSession() {
    await this.page.click(id("new-session"));
    await this.page.waitForFunction((selector) => document.querySelector(selector) === null, { timeout: 60_000 }, id("turn"));
  }

  async turnStates() {
    return this.page.$$eval(id("turn"), (turns) => turns.map((turn) => turn.dataset.state));
  }

  async waitTurn(states, timeoutMs = 60_000) {
    return waitUntil(
      `a turn that is ${states.join(" or ")}`,
      async () => {
        const last = (await this.turnStates()).at(-1);
        return states.includes(last) ? last : null;
      },
      { timeoutMs, describe: () => this.words() },
    );
  }

  async toolCards() {
    return this.page.$$eval(id("tool-card"), (cards) => cards.map((card) => ({ tool: card.dataset.tool, state: card.dataset.state, call: card.dataset.call, words: card.innerText })));
  }

  async waitTool(tool, states, timeoutMs = 60_000) {
    return waitUntil(`\`${tool}\` to be ${states.join(" or ")}`, async () => (await this.toolCards()).findLast((card) => card.tool === tool && states.includes(card.state)), { timeoutMs, describe: () => this.words() });
  }

  async approvalCards() {
    return this.page.$$eval(id("approval-card"), (cards) => cards.map((card) => ({ tool: card.dataset.tool, call: card.dataset.call, armed: card.dataset.armed, words: card.innerText })));
  }

  async waitApproval(tool, timeoutMs = 60_000) {
    return waitUntil(`an approval card of \`${tool}\``, async () => (await this.approvalCards()).find((card) => card.tool === tool), { timeoutMs, describe: () => this.words() });
  }

  /** Opens every part of the first card, as the panel demands, until Allow can be pressed. */
  async readApproval() {
    const card = id("approval-card");
    await this.page.waitForSelector(`${card}[data-armed=true]`, { timeout: 60_000 });
    const more = await this.page.$(`${card} ${id("approval-open-all")}`);
    if (more !== null) await more.click();
    await waitUntil("the Allow button", () => this.page.$eval(`${card} ${id("approval-allow")}`, (button) => !button.disabled), { timeoutMs: 60_000, describe: () => this.words() });
  }

  async allow() {
    await this.readApproval();
    await this.#answer(id("approval-allow"));
  }

  async deny() {
    await this.#answer(id("approval-deny"));
  }

  async denyWithNote(note) {
    const card = id("approval-card");
    await this.page.waitForSelector(`${card}[data-armed=true]`, { timeout: 60_000 });
    await this.page.click(`${card} ${id("approval-deny-note")}`);
    await this.page.waitForSelector(id("approval-note"));
    await this.page.type(id("approval-note"), note);
    await this.#answer(id("approval-deny"));
  }

  /** An answer has counted when its card is gone. */
  async #answer(button) {
    const card = id("approval-card");
    await this.page.waitForSelector(`${card}[data-armed=true]`, { timeout: 60_000 });
    const call = await this.page.$eval(card, (node) => node.dataset.call);
    await this.page.click(`${card} ${button}`);
    await waitUntil("the answered card to go", async () => !(await this.approvalCards()).some((left) => left.call === call && left.armed === "true" && !left.words.includes("…")), { timeoutMs: 60_000, describe: () => this.words() });
  }

  async assistantMessages() {
    return this.page.$$eval(id("assistant-message"), (messages) => messages.map((message) => message.innerText));
  }

  /** All that the panel shows of the session, as data. */
  async snapshot() {
    return {
      connection: await this.connectionState(),
      turns: await this.turnStates(),
      tools: await this.toolCards(),
      approvals: await this.approvalCards(),
      messages: await this.assistantMessages(),
    };
  }

  async picture(file) {
    await this.page.screenshot({ path: file });
  }
}
