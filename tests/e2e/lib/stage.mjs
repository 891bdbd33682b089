// Everything one browser test stands on: a scratch home, workspaces, a configured and installed host, a browser, the panel.
import { Chromium } from "./chromium.mjs";
import { Firefox } from "./firefox.mjs";
import { installForChromium, installForFirefox, writeConfig } from "./host.mjs";
import { Panel } from "./panel.mjs";
import { extensionBuild } from "./places.mjs";
import { Scratch } from "./scratch.mjs";

/** `E2E_BROWSERS=firefox` is that one alone. */
export const BROWSERS = (process.env.E2E_BROWSERS ?? "chromium,firefox").split(",");

export class Stage {
  /** Where it is one. */
  chromium = null;
  firefox = null;
  panel = null;

  /** `prepare(stage)` makes the workspaces and gives them as `[{id, folder}]`; `config(stage)` is added to config.toml. */
  static async open({ prepare, config = () => "", browser = "chromium", build = browser === "chromium" ? "chrome-mv3" : "e2e-firefox-mv3", install = true }) {
    const stage = new Stage();
    stage.scratch = new Scratch("outrigger-e2e");
    try {
      stage.environment = stage.scratch.environment();
      writeConfig(stage.scratch, await prepare(stage), config(stage));
      stage.profile = stage.scratch.make("profile");
      if (browser === "chromium") {
        if (install) await installForChromium(stage.environment, stage.profile);
        stage.chromium = await Chromium.launch({ extension: extensionBuild(build), profile: stage.profile, environment: stage.environment, page: "about:blank" });
      } else {
        if (install) await installForFirefox(stage.environment);
        stage.firefox = await Firefox.launch({ extension: extensionBuild(build), environment: stage.environment });
      }
      stage.scratch.atEnd(() => stage.browser.close());
      await stage.openPanel();
    } catch (error) {
      await stage.close();
      throw error;
    }
    return stage;
  }

  async openPanel() {
    const page = await this.browser.openPanel();
    if (this.firefox !== null) {
      await page.setViewport({ width: 360, height: 700 });
      await page.waitForSelector("[data-testid=connection-status]", { timeout: 60_000 });
    }
    this.panel = new Panel(page);
    return this.panel;
  }

  get browser() {
    return this.chromium ?? this.firefox;
  }

  /** Ends the background and the host with it, as idleness or an update does; gives the panel, which in Firefox is a new one. */
  async stopBackground() {
    if (this.chromium !== null) {
      await this.chromium.stopWorker();
      return this.panel;
    }
    await this.firefox.reloadExtension();
    return this.openPanel();
  }

  /** Closes the panel's document; the engine goes on. */
  async closePanel() {
    await this.panel.page.close();
    this.panel = null;
  }

  /** A picture and the words of the panel, where a test went wrong. */
  async explain() {
    if (this.panel === null) return;
    process.stderr.write(`The panel shows:\n${await this.panel.words().catch((error) => error.message)}\n`);
    if (process.env.E2E_PICTURES) await this.panel.picture(`${process.env.E2E_PICTURES}/failed-${Date.now()}.png`).catch(() => {});
  }

  async close() {
    await this.scratch.end({ keep: process.env.E2E_KEEP === "1" });
  }
}
