// A real Firefox with the temporary add-on, over WebDriver BiDi; a home of its own, so that its native manifests are its own.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { warm } from "./firefox-caches.mjs";
import { findProgram, IDS, requireFromExtension } from "./places.mjs";
import { waitUntil, within } from "./wait.mjs";

/** The origin of the add-on's pages: Firefox draws one per profile, unless it is told. */
export const UUID = "6f757472-6967-4765-8000-000000000001";

export function firefoxProgram() {
  const program = process.env.FIREFOX_BIN ?? findProgram(["/usr/lib/firefox-esr/firefox-esr", "firefox-esr", "firefox"]);
  if (program === null) throw new Error("no Firefox was found on the PATH; install it (Debian: `apt install firefox-esr`) or name it in FIREFOX_BIN");
  return program;
}

/** The process that last had a profile. */
const LAST = new Map();

/**
 * After a browser ended, by force too, puppeteer puts the profile's own preferences back as soon as it hears of it: not while the next one
 * begins, which would lose its own, and with them the origin of the add-on's pages.
 */
async function untilPutBack(profile) {
  const last = LAST.get(profile);
  if (last !== undefined && last.exitCode === null && last.signalCode === null) await new Promise((resolve) => last.once("exit", resolve));
  const kept = ["prefs.js", "user.js"].map((name) => path.join(profile, `${name}.puppeteer`));
  await waitUntil("the profile's own preferences", () => !kept.some((file) => existsSync(file)), { timeoutMs: 10_000, everyMs: 20 }).catch(() => {
    // It gave up: there was nothing that they could have taken the place of.
    for (const file of kept) rmSync(file, { force: true });
  });
}

export class Firefox {
  /** With `profile` an existing folder is used, and what an add-on stored there is found again after a crash. */
  static async launch({ extension, environment, headless = true, profile = null }) {
    const { default: puppeteer } = requireFromExtension("puppeteer-core");
    if (profile === null) profile = mkdtempSync(path.join(environment.TMPDIR ?? tmpdir(), "firefox-"));
    else await untilPutBack(profile);
    warm(profile);
    const browser = await puppeteer.launch({
      browser: "firefox",
      protocol: "webDriverBiDi",
      executablePath: firefoxProgram(),
      headless,
      userDataDir: profile,
      // Without it, pages of an add-on are out of a driver's reach.
      args: ["--remote-allow-system-access"],
      env: { ...environment, MOZ_DISABLE_AUTO_SAFE_MODE: "1" },
      extraPrefsFirefox: {
        "extensions.webextensions.uuids": JSON.stringify({ [IDS.firefox.extension_id]: UUID }),
        // A temporary add-on is gone after a crash; what it stored stays, as that of an installed one does.
        "extensions.webextensions.keepStorageOnUninstall": true,
        "extensions.webextensions.keepUuidOnUninstall": true,
        "toolkit.startup.max_resumed_crashes": -1,
        "browser.sessionstore.resume_from_crash": false,
        "network.captive-portal-service.enabled": false,
        "network.connectivity-service.enabled": false,
        // A process in stock for a page that nobody opens.
        "dom.ipc.processPrelaunch.enabled": false,
        // Nobody looks, see `chromium.mjs`.
        ...(headless ? { "ui.prefersReducedMotion": 1 } : {}),
      },
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
    LAST.set(profile, browser.process());
    try {
      await browser.installExtension(extension);
    } catch (error) {
      await browser.close();
      throw error;
    }
    return new Firefox(browser, extension);
  }

  constructor(browser, extension) {
    this.browser = browser;
    this.extension = extension;
  }

  get pid() {
    return this.browser.process().pid;
  }

  /** Loads the add-on anew, as an update does: its background and all its pages end at once, and its background begins again. */
  async reloadExtension() {
    await this.browser.installExtension(this.extension);
  }

  /** Ends the background alone, as idleness does: pages stay, lose their ports, and their next word begins it again. */
  async stopBackground() {
    const end = `(async () => { const { extension } = WebExtensionPolicy.getByID(${JSON.stringify(IDS.firefox.extension_id)}); await extension.terminateBackground({ ignoreDevToolsAttached: true, disableResetIdleForTest: true }); return true; })()`;
    await this.inWindows(end);
  }

  /** The panel in a tab: the sidebar itself is outside the driver's tree, its page is the same. */
  async openPanel() {
    const page = await this.browser.newPage();
    await this.goToPanel(page).catch(async (error) => {
      throw new Error(`${error.message}; the add-on: ${JSON.stringify(await this.addOnState().catch(String))}`, { cause: error });
    });
    return page;
  }

  /** Firefox reports no load event of an add-on's page to a driver; and while the add-on's process begins, a navigation to it may fail. */
  async goToPanel(page, timeoutMs = 60_000) {
    const go = async () => (await page.goto(`moz-extension://${UUID}/sidepanel.html`, { waitUntil: [] }), true);
    await waitUntil("the panel's page", go, { everyMs: 200, timeoutMs });
  }

  /** What Firefox itself knows of the add-on. */
  async addOnState() {
    const id = JSON.stringify(IDS.firefox.extension_id);
    return this.inWindows(`(() => { const policy = WebExtensionPolicy.getByID(${id}); return { active: policy?.active, host: policy?.mozExtensionHostname, background: policy?.extension?.backgroundState, known: Services.prefs.getStringPref("extensions.webextensions.uuids", "") }; })()`);
  }

  /** Runs an expression in every browser window itself, where the context menu and the sidebar are, and gives what each comes to. */
  async inWindows(expression) {
    const { connection } = this.browser;
    const { result: tree } = await connection.send("browsingContext.getTree", { "moz:scope": "chrome" });
    const answers = [];
    for (const { context } of tree.contexts) {
      const { result } = await connection.send("script.evaluate", { target: { context }, expression: `(async () => JSON.stringify(await (${expression}) ?? null))()`, awaitPromise: true });
      if (result.type !== "success") throw new Error(result.exceptionDetails.text);
      answers.push(JSON.parse(result.result.value));
    }
    return answers;
  }

  /** A page in front of a window of its own, as one that stands beside the sidebar. */
  async openBeside(url) {
    const page = await this.browser.newPage({ type: "window" });
    await page.goto(url);
    return page;
  }

  async close() {
    const process = this.browser.process();
    const gone = new Promise((resolve) => {
      if (process.exitCode !== null || process.signalCode !== null) resolve();
      else process.once("exit", resolve);
    });
    await within(15_000, this.browser.close().catch(() => {}));
    if (process.exitCode === null && process.signalCode === null) process.kill("SIGKILL");
    await gone;
  }
}
