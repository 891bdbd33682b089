// A browser with the panel in a tab, over a profile that outlives it: for tests that end it by force, again and again.
import { Chromium } from "./chromium.mjs";
import { Driver } from "./driver.mjs";
import { Firefox } from "./firefox.mjs";
import { isAlive } from "./host.mjs";
import { extensionBuild } from "./places.mjs";
import { waitUntil } from "./wait.mjs";

export class Killable {
  /** `name` is `chromium` or `firefox`; resolves when the engine has told its lists. */
  static async launch(name, { profile, environment }) {
    const browser =
      name === "chromium"
        ? await Chromium.launch({ extension: extensionBuild("e2e-chrome-mv3"), profile, environment, page: "about:blank" })
        : await Firefox.launch({ extension: extensionBuild("e2e-firefox-mv3"), profile, environment });
    const killable = new Killable(browser);
    try {
      killable.page = name === "chromium" ? await openTab(browser) : await browser.openPanel();
      if (name === "firefox") await killable.page.waitForSelector("[data-testid=connection-status]", { timeout: 60_000 });
      killable.driver = await Driver.attach(killable.page);
      killable.state = await waitUntil("the engine's lists", () => killable.driver.state());
    } catch (error) {
      await browser.close();
      throw error;
    }
    return killable;
  }

  constructor(browser) {
    this.browser = browser;
  }

  /** As the machine's owner ends it, or its memory does. */
  async kill() {
    const { pid } = this.browser;
    process.kill(pid, "SIGKILL");
    await waitUntil("the browser's end", () => !isAlive(pid), { everyMs: 5 });
  }

  async close() {
    await this.browser.close();
  }
}

async function openTab(chromium) {
  const page = await chromium.browser.newPage();
  await page.goto(chromium.url("sidepanel.html"));
  return page;
}
