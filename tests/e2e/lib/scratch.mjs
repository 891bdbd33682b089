// A temporary home for one run: folders, an environment that touches nothing of the user's, and an orderly end.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

export class Scratch {
  #endings = [];

  /** With `folder` an existing one is used and left in place: its owner removes it. */
  constructor(prefix, folder = null) {
    this.folder = folder ?? mkdtempSync(path.join(tmpdir(), `${prefix}-`));
    this.owned = folder === null;
  }

  path(...parts) {
    return path.join(this.folder, ...parts);
  }

  make(...parts) {
    const folder = this.path(...parts);
    mkdirSync(folder, { recursive: true });
    return folder;
  }

  /** What every program of this run gets: its own home, configuration and state; nothing that git could take from the user. */
  environment(extra = {}) {
    const kept = Object.fromEntries(["PATH", "LANG", "LC_ALL", "DISPLAY", "XAUTHORITY", "TZ", "USER", "LOGNAME", "SHELL", "RUST_BACKTRACE"].flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));
    return {
      ...kept,
      HOME: this.make("home"),
      TMPDIR: this.make("tmp"),
      XDG_CONFIG_HOME: this.make("home", ".config"),
      XDG_STATE_HOME: this.make("home", ".local", "state"),
      XDG_DATA_HOME: this.make("home", ".local", "share"),
      XDG_CACHE_HOME: this.make("home", ".cache"),
      OUTRIGGER_CONFIG: this.path("config.toml"),
      OUTRIGGER_STATE_DIR: this.make("state"),
      GIT_CONFIG_NOSYSTEM: "1",
      ...extra,
    };
  }

  /** Endings run last first, each even if another fails. */
  atEnd(ending) {
    this.#endings.push(ending);
  }

  async end({ keep = false } = {}) {
    for (const ending of this.#endings.splice(0).toReversed()) await Promise.resolve().then(ending).catch(() => {});
    // The browser's last writes may still be under way: a folder that fills while it is emptied is tried again.
    if (this.owned && !keep) rmSync(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}
