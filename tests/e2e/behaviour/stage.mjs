// A browser with an extension that can only talk to native hosts, and hosts of our choice. The same in Chromium and Firefox.
import { chmodSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Chromium } from "../lib/chromium.mjs";
import { Firefox } from "../lib/firefox.mjs";
import { isAlive } from "../lib/host.mjs";
import { EXTENSION_ID, IDS } from "../lib/places.mjs";
import { Scratch } from "../lib/scratch.mjs";
import { waitUntil } from "../lib/wait.mjs";

const HERE = path.dirname(fileURLToPath(import.meta.url));
const FIREFOX_PAGE = "moz-extension://6f757472-6967-4765-8000-000000000001/page.html";

export class BehaviourStage {
  static async open(name) {
    const stage = new BehaviourStage();
    stage.name = name;
    stage.scratch = new Scratch(`outrigger-behaviour-${name}`);
    stage.log = stage.scratch.path("hosts.log");
    writeFileSync(stage.log, "");
    stage.environment = stage.scratch.environment({ OUTRIGGER_BEHAVIOUR_LOG: stage.log, OUTRIGGER_GIVEN: "by the browser" });
    stage.profile = stage.scratch.make("profile");
    stage.manifests = name === "chromium" ? stage.scratch.make("profile", "NativeMessagingHosts") : stage.scratch.make("home", ".mozilla", "native-messaging-hosts");
    stage.program = stage.scratch.path("bin", "host");
    mkdirSync(path.dirname(stage.program));
    // A program of its own: browsers start no interpreter by themselves.
    writeFileSync(stage.program, `#!/bin/sh\nexec ${process.execPath} ${path.join(HERE, "host.mjs")} "$@"\n`);
    chmodSync(stage.program, 0o755);
    stage.extension = stage.scratch.path("extension");
    cpSync(path.join(HERE, "extension"), stage.extension, { recursive: true });
    const background = name === "chromium" ? { service_worker: "background.js" } : { scripts: ["background.js"] };
    const identity = name === "chromium" ? { key: IDS.chromium.public_key } : { browser_specific_settings: { gecko: { id: IDS.firefox.extension_id } } };
    writeFileSync(path.join(stage.extension, "manifest.json"), JSON.stringify({ manifest_version: 3, name: "Behaviour", version: "1", permissions: ["nativeMessaging"], background, ...identity }));
    await stage.launch();
    return stage;
  }

  async launch() {
    if (this.name === "chromium") this.browser = await Chromium.launch({ extension: this.extension, profile: this.profile, environment: this.environment, page: "about:blank" });
    else this.browser = await Firefox.launch({ extension: this.extension, environment: this.environment });
    this.page = await this.browser.browser.newPage();
    if (this.name === "chromium") await this.page.goto(`chrome-extension://${EXTENSION_ID}/page.html`);
    else await this.page.goto(FIREFOX_PAGE, { waitUntil: [] });
    await waitUntil("the extension's page", () => this.page.evaluate(() => (globalThis.chrome ?? globalThis.browser)?.runtime?.connectNative !== undefined));
  }

  get caller() {
    return this.name === "chromium" ? { allowed_origins: [`chrome-extension://${EXTENSION_ID}/`] } : { allowed_extensions: [IDS.firefox.extension_id] };
  }

  /** A good manifest with these changes (undefined takes a key out), written as `file` or as what it is called. */
  manifest(name, change = {}, { file = name, text = null, link = false } = {}) {
    const whole = { name, description: "A host of the tests", path: this.program, type: "stdio", ...this.caller, ...change };
    const target = path.join(link ? this.scratch.make("elsewhere") : this.manifests, `${file}.json`);
    writeFileSync(target, text ?? JSON.stringify(whole));
    if (link) symlinkSync(target, path.join(this.manifests, `${file}.json`));
  }

  /** Opens a port, says all of `say`, and gives what came: until `want` messages are there, the port closed, or patience ended. */
  talk(name, say = [], { want = 1, patienceMs = 20_000 } = {}) {
    return this.page.evaluate(talkInPage, name, say, want, patienceMs);
  }

  /** What hosts noted of themselves, as `[time, pid, words]`. */
  notes(pid = null) {
    return readFileSync(this.log, "utf8").split("\n").filter(Boolean).map((line) => /^(\d+) (\d+) (.*)$/.exec(line)).map(([, at, who, words]) => [Number(at), Number(who), words]).filter(([, who]) => pid === null || who === pid);
  }

  /** As a crash ends it. */
  async kill() {
    const { pid } = this.browser;
    process.kill(pid, "SIGKILL");
    await waitUntil("the browser's end", () => !isAlive(pid));
  }

  async close() {
    await this.browser?.close().catch(() => {});
    await this.scratch.end();
  }
}

/** Runs in the page. `open`: the port stood when it was over. */
function talkInPage(name, say, want, patienceMs) {
  const { runtime } = globalThis.browser ?? globalThis.chrome;
  return new Promise((resolve) => {
    const came = [];
    let port;
    try {
      port = runtime.connectNative(name);
    } catch (error) {
      return resolve({ open: false, threw: error.message, came });
    }
    const end = (open, error = null) => {
      clearTimeout(timer);
      resolve({ open, error, came });
      if (open && !globalThis.keepsPorts) port.disconnect();
      else (globalThis.ports ??= []).push(port);
    };
    const timer = setTimeout(() => end(true), patienceMs);
    port.onMessage.addListener((message) => {
      came.push(typeof message === "string" && message.length > 1_000 ? { length: message.length } : message);
      if (came.length === want) end(true);
    });
    port.onDisconnect.addListener((closed) => end(false, closed?.error?.message ?? runtime.lastError?.message ?? null));
    for (const message of say) port.postMessage(message);
  });
}
