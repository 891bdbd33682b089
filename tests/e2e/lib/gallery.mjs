// The gallery, built and served: every state of the panel from fixtures, for what must hold of all of them.
import { buildPage, servePage } from "./built-page.mjs";
import { chromiumProgram } from "./chromium.mjs";
import { firefoxProgram } from "./firefox.mjs";
import { requireFromExtension } from "./places.mjs";

export class Gallery {
  static async open(name) {
    buildPage("src/ui/gallery/vite.config.ts");
    const server = await servePage("gallery");
    const { default: puppeteer } = requireFromExtension("puppeteer-core");
    // What turns and fades hides nothing that is looked for, and costs half a core.
    const launch = name === "firefox" ? { browser: "firefox", protocol: "webDriverBiDi", executablePath: firefoxProgram() } : { executablePath: chromiumProgram(), args: ["--no-sandbox", "--disable-gpu", "--force-prefers-reduced-motion"] };
    const browser = await puppeteer.launch({ headless: true, defaultViewport: null, ...launch });
    return new Gallery(browser, server);
  }

  constructor(browser, server) {
    this.browser = browser;
    this.server = server;
    this.url = server.url;
  }

  async page({ width = 360, height = 700 } = {}) {
    const page = await this.browser.newPage();
    await page.setViewport({ width, height });
    return page;
  }

  /** All of them but those for measuring. */
  async scenes(page) {
    await page.goto(this.url);
    await page.waitForSelector("li a");
    return (await page.$$eval("li a", (links) => links.map((link) => link.textContent))).filter((name) => !name.startsWith("huge"));
  }

  async show(page, state, { theme = "light", lang = "en", dir = null } = {}) {
    await page.goto(`${this.url}?state=${state}&theme=${theme}&lang=${lang}${dir === null ? "" : `&dir=${dir}`}`);
    await page.waitForSelector("html[data-ready]");
    await page.waitForFunction(() => document.querySelector("[data-testid=approval-card][data-armed=false]") === null);
    // What a sheet begins with is given the focus a moment after the sheet is there.
    await page.waitForFunction(() => [...document.querySelectorAll("[role=dialog]")].every((sheet) => sheet.contains(document.activeElement)));
  }

  async close() {
    await this.browser.close().catch(() => {});
    this.server.close();
  }
}
