// A real Chromium with the unpacked extension, its real side panel, and a way to stop its worker.
import { EXTENSION_ID, findProgram, requireFromExtension } from "./places.mjs";
import { waitUntil, within } from "./wait.mjs";

const ARGS = [
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--no-default-browser-check",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--window-size=1300,900",
  "--window-position=0,0",
];

export function chromiumProgram() {
  const program = process.env.CHROMIUM_BIN ?? findProgram(["chromium", "chromium-browser", "google-chrome", "/usr/lib/chromium/chromium"]);
  if (program === null) throw new Error("no Chromium was found on the PATH; install it (Debian: `apt install chromium`) or name it in CHROMIUM_BIN");
  return program;
}

export class Chromium {
  /** `extension` is a folder of a build; `environment` is all the browser and the host it starts get to see. */
  static async launch({ extension, profile, environment, headless = true, args = [], page = null, ignoreDefaultArgs = [] }) {
    const { default: puppeteer } = requireFromExtension("puppeteer-core");
    // As root Chromium has no sandbox to offer; for everyone else it stays on. The second flag keeps its banner about the first away.
    const sandbox = process.getuid?.() === 0 ? ["--no-sandbox", "--test-type"] : [];
    const browser = await puppeteer.launch({
      executablePath: chromiumProgram(),
      headless,
      pipe: true,
      enableExtensions: [extension],
      userDataDir: profile,
      defaultViewport: null,
      env: environment,
      ignoreDefaultArgs,
      // Nobody looks: what turns and fades would cost half a core, and hide nothing that a test looks for.
      args: [...ARGS, ...sandbox, ...(headless ? ["--force-prefers-reduced-motion"] : []), ...args],
      // Its own handlers would end this process before the scratch folder is tidied.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
    const chromium = new Chromium(browser);
    await chromium.worker();
    chromium.tab = (await browser.pages())[0] ?? (await browser.newPage());
    if (page !== null) await chromium.tab.goto(page);
    return chromium;
  }

  constructor(browser) {
    this.browser = browser;
    this.tab = null;
  }

  get pid() {
    return this.browser.process().pid;
  }

  url(page) {
    return `chrome-extension://${EXTENSION_ID}/${page}`;
  }

  async worker(timeout = 30_000) {
    return this.browser.waitForTarget((target) => target.type() === "service_worker" && target.url().startsWith(this.url("")), { timeout });
  }

  /** Opens the real side panel by the toolbar button and gives its page. */
  async openPanel() {
    const extension = (await this.browser.extensions()).get(EXTENSION_ID);
    if (extension === undefined) throw new Error(`Chromium did not load the extension ${EXTENSION_ID}`);
    await this.tab.bringToFront();
    // Chromium forgets a click that comes before the worker has said what the button does.
    await waitUntil("what the toolbar's button does", () => this.inBackground(async () => (await chrome.sidePanel.getPanelBehavior()).openPanelOnActionClick), { everyMs: 20 });
    for (let attempt = 0; ; attempt += 1) {
      await extension.triggerAction(this.tab);
      try {
        const target = await this.browser.waitForTarget((candidate) => candidate.url().startsWith(this.url("sidepanel.html")), { timeout: 15_000 });
        const page = await target.asPage();
        await page.waitForSelector("[data-testid=title]", { timeout: 60_000 });
        return page;
      } catch (error) {
        if (attempt === 4) throw new Error(`the side panel did not open: ${error.message}`, { cause: error });
      }
    }
  }

  /** A page in the tab beside the side panel. */
  async openBeside(url) {
    await this.tab.goto(url);
    return this.tab;
  }

  /** Runs a function in the background, with one value that can be cloned. */
  async inBackground(run, value) {
    const worker = await (await this.worker()).worker();
    return worker.evaluate(run, value);
  }

  /** Closes the panel the way its own close button does: the document goes, the engine stays. */
  async closePanel(panel) {
    await panel.close();
  }

  /** Stops the service worker as the browser itself does when it is idle or out of memory. The panel's next word starts it again. */
  async stopWorker() {
    const target = await this.worker();
    const worker = await target.worker();
    const gone = new Promise((resolve) => {
      const listen = (candidate) => {
        if (candidate !== target) return;
        this.browser.off("targetdestroyed", listen);
        resolve();
      };
      this.browser.on("targetdestroyed", listen);
    });
    await worker.close();
    await gone;
  }

  async close() {
    const process = this.browser.process();
    const gone = new Promise((resolve) => {
      if (process.exitCode !== null || process.signalCode !== null) resolve();
      else process.once("exit", resolve);
    });
    await within(10_000, this.browser.close().catch(() => {}));
    if (process.exitCode === null && process.signalCode === null) process.kill("SIGKILL");
    await gone;
  }
}
