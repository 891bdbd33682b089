// One panel in either browser, over the real host: what a person does on its screens, and what axe says of them.
import { axeOn } from "./axe.mjs";
import { Chromium } from "./chromium.mjs";
import { Firefox } from "./firefox.mjs";
import { installForChromium, installForFirefox, writeConfig } from "./host.mjs";
import { Panel } from "./panel.mjs";
import { extensionBuild } from "./places.mjs";
import { pressable } from "./pressable.mjs";
import { Scratch } from "./scratch.mjs";
import { SmallDisk } from "./small-disk.mjs";
import { waitUntil } from "./wait.mjs";

export const BROWSERS = (process.env.SCREEN_BROWSERS ?? "chromium,firefox").split(",");

const id = (name) => `[data-testid="${name}"]`;

export class ScreenStage {
  /** `workspaces(scratch, environment)` makes the folders; `config` is added to config.toml. `diskMebibytes`: the profile gets a disk of that size, `stage.disk`, where this user may mount one. */
  static async open(name, { workspaces = () => [], config = "", install = true, language = null, diskMebibytes = null } = {}) {
    const stage = new ScreenStage();
    stage.name = name;
    stage.scratch = new Scratch(`outrigger-screens-${name}`);
    try {
      stage.environment = { ...stage.scratch.environment(), ...(language === null ? {} : { LANGUAGE: language, LANG: `${language}_${language.toUpperCase()}.UTF-8` }) };
      writeConfig(stage.scratch, await workspaces(stage.scratch, stage.environment), config);
      stage.profile = stage.scratch.make("profile");
      stage.disk = diskMebibytes === null ? null : SmallDisk.mount(stage.profile, diskMebibytes);
      stage.scratch.atEnd(() => stage.disk?.unmount());
      if (install) await stage.install();
      stage.scratch.atEnd(() => stage.browser?.close());
      await stage.launch();
    } catch (error) {
      await stage.close();
      throw error;
    }
    return stage;
  }

  /** With its panel open; again, once the browser was closed: in Chromium, and in Firefox with a disk of its own, on the same profile. */
  async launch() {
    if (this.name === "chromium") {
      this.browser = await Chromium.launch({ extension: extensionBuild("e2e-chrome-mv3"), profile: this.profile, environment: this.environment, page: "about:blank" });
    } else {
      this.browser = await Firefox.launch({ extension: extensionBuild("e2e-firefox-mv3"), environment: this.environment, ...(this.disk === null ? {} : { profile: this.profile }) });
    }
    await this.openPanel();
  }

  /** The side panel in Chromium; in Firefox its page in a tab of the same width, for the sidebar is out of a driver's reach. */
  async openPanel() {
    this.page = await this.browser.openPanel();
    if (this.name === "firefox") await this.page.setViewport({ width: 360, height: 700 });
    this.panel = new Panel(this.page);
    await this.see("title");
    return this.panel;
  }

  /** Closes the panel's document; the engine goes on. */
  async closePanel() {
    await this.page.close();
    this.page = null;
    this.panel = null;
  }

  install() {
    return this.name === "chromium" ? installForChromium(this.environment, this.profile) : installForFirefox(this.environment);
  }

  async words() {
    return this.panel === null ? "The panel is shut." : this.panel.words();
  }

  /** Another page of ours beside the panel; in Firefox in a window, for a tab that is not in front draws nothing. */
  async openPage(url) {
    const page = await this.browser.browser.newPage(this.name === "firefox" ? { type: "window" } : {});
    await page.goto(url, { waitUntil: this.name === "firefox" ? [] : "load" });
    return page;
  }

  /** Waits until it is there. */
  async see(testId, { timeoutMs = 60_000, page = this.page } = {}) {
    return waitUntil(`\`${testId}\``, () => page.$(id(testId)), { timeoutMs, describe: () => page.evaluate(() => document.body.innerText).catch((error) => error.message) });
  }

  /** Waits until a press would reach it, as a person does. */
  async press(testId, { page = this.page, timeoutMs = 60_000 } = {}) {
    const control = await this.until(`\`${testId}\` to press`, () => pressable(page, id(testId), { block: "center" }), timeoutMs);
    await page.evaluate(keepReceipts);
    await control.click();
  }

  /** The second press of what asks once more: it counts after the time of a double click. */
  async pressSure(testId) {
    const asks = () => this.page.$eval(id(testId), (button) => button.dataset.asks).catch(() => "no");
    await this.press(testId);
    // Whatever takes the focus takes the question back: a press that comes after that asks anew.
    do {
      await this.page.waitForSelector(`${id(testId)}[data-asks=ready]`, { timeout: 60_000 });
      await this.press(testId);
    } while ((await asks()) !== "no");
  }

  /** Replaces what stands in a field. */
  async fill(testId, value) {
    const field = await this.see(testId);
    await field.evaluate((element) => (element.focus(), element.select?.()));
    await this.page.keyboard.press("Backspace");
    if (value !== "") await this.page.keyboard.type(value);
  }

  async choose(testId, value) {
    await this.see(testId);
    await this.page.select(id(testId), value);
  }

  /** They stand there, or in a receipt that came since the last press: those leave by themselves. */
  async reads(words, timeoutMs = 60_000) {
    const kept = async () => (this.page === null ? "" : this.page.evaluate(() => (globalThis.receipts ?? []).join("\n")));
    const all = async () => `${await this.words()}\n${await kept()}`;
    await waitUntil(`the words ${words}`, async () => (words instanceof RegExp ? words.test(await all()) : (await all()).includes(words)), { timeoutMs, describe: all });
  }

  async count(testId) {
    return (await this.page.$$(id(testId))).length;
  }

  async until(what, look, timeoutMs = 60_000) {
    return waitUntil(what, look, { timeoutMs, describe: () => this.words() });
  }

  /** Presses a button of the row that says this, as soon as there is one. */
  async pressIn(row, words, button) {
    await this.until(`${button} in the ${row} with ${words}`, () =>
      this.page.$$eval(`[data-testid=${row}]`, (rows, said, name) => {
        const found = rows.find(({ innerText }) => innerText.includes(said))?.querySelector(`[data-testid=${name}]`);
        found?.click();
        return found !== undefined && found !== null;
      }, words, button),
    );
  }

  /** Takes the receipt that stands there, so that the next one is another. */
  async receipt() {
    const receipt = await this.see("receipt");
    return receipt.evaluate((element) => element.textContent);
  }

  async section(name) {
    await this.page.evaluate((hash) => { location.hash = hash; }, `#screen=settings&part=${name}`);
    await this.see(`settings-${name}`);
  }

  async screen(name, part = null) {
    await this.page.evaluate((hash) => { location.hash = hash; }, `#screen=${name}${part === null ? "" : `&part=${part}`}${this.session === undefined ? "" : `&session=${this.session}`}`);
  }

  /** What axe finds wrong on the screen as it stands; empty is good. */
  async axe(page = this.page) {
    return axeOn(page);
  }

  async explain() {
    process.stderr.write(`The panel in ${this.name} shows:\n${await this.words().catch((error) => error.message)}\n`);
    if (process.env.E2E_PICTURES && this.page !== null) await this.page.screenshot({ path: `${process.env.E2E_PICTURES}/failed-${this.name}.png` }).catch(() => {});
  }

  async close() {
    await this.scratch.end({ keep: process.env.E2E_KEEP === "1" });
  }
}

/** Runs in the page: from now on the texts of receipts are kept. */
function keepReceipts() {
  if (globalThis.receipts === undefined) {
    const look = () => globalThis.receipts.push(...[...document.querySelectorAll("[data-testid=receipt]")].map((receipt) => receipt.textContent).filter((text) => !globalThis.receipts.includes(text)));
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true, characterData: true });
  }
  globalThis.receipts = [];
}

/** Runs the same in each browser; where it went wrong, what the panel showed is told. */
export async function onStage(name, options, play) {
  const stage = await ScreenStage.open(name, options);
  try {
    await play(stage);
  } catch (error) {
    await stage.explain();
    throw error;
  } finally {
    await stage.close();
  }
}
