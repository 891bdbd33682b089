// Everything one browser test stands on: a scratch home, workspaces, a configured and installed host, Chromium, the panel.
import { Chromium } from "./chromium.mjs";
import { installForChromium, writeConfig } from "./host.mjs";
import { Panel } from "./panel.mjs";
import { extensionBuild } from "./places.mjs";
import { Scratch } from "./scratch.mjs";

export class Stage {
  chromium = null;
  panel = null;

  /** `prepare(stage)` makes the workspaces and gives them as `[{id, folder}]`; `config(stage)` is added to config.toml. */
  static async open({ prepare, config = () => "", build = "chrome-mv3", install = true }) {
    const stage = new Stage();
    stage.scratch = new Scratch("outrigger-e2e");
    try {
      stage.environment = stage.scratch.environment();
      writeConfig(stage.scratch, await prepare(stage), config(stage));
      stage.profile = stage.scratch.make("profile");
      if (install) await installForChromium(stage.environment, stage.profile);
      stage.chromium = await Chromium.launch({ extension: extensionBuild(build), profile: stage.profile, environment: stage.environment, page: "about:blank" });
      stage.scratch.atEnd(() => stage.chromium.close());
      await stage.openPanel();
    } catch (error) {
      await stage.close();
      throw error;
    }
    return stage;
  }

  async openPanel() {
    this.panel = new Panel(await this.chromium.openPanel());
    return this.panel;
  }

  /** Closes the panel's document; the engine goes on. */
  async closePanel() {
    await this.chromium.closePanel(this.panel.page);
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
