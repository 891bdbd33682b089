// The gallery, built and served: every state of the panel from fixtures, for what must hold of all of them.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import http from "node:http";
import path from "node:path";
import { chromiumProgram } from "./chromium.mjs";
import { firefoxProgram } from "./firefox.mjs";
import { EXTENSION, requireFromExtension } from "./places.mjs";

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".woff2": "font/woff2" };

export class Gallery {
  static async open(name) {
    execFileSync(path.join(EXTENSION, "node_modules/.bin/vite"), ["build", "--config", "src/ui/gallery/vite.config.ts", "--logLevel", "error"], { cwd: EXTENSION, stdio: "inherit" });
    const folder = path.join(EXTENSION, ".output/gallery");
    const server = http.createServer((request, response) => {
      const { pathname } = new URL(request.url, "http://x");
      try {
        const body = readFileSync(path.join(folder, pathname === "/" ? "index.html" : path.normalize(pathname)));
        response.writeHead(200, { "content-type": TYPES[path.extname(pathname)] ?? "text/html" });
        response.end(body);
      } catch {
        response.writeHead(404).end();
      }
    });
    await new Promise((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    const { default: puppeteer } = requireFromExtension("puppeteer-core");
    const launch = name === "firefox" ? { browser: "firefox", protocol: "webDriverBiDi", executablePath: firefoxProgram() } : { executablePath: chromiumProgram(), args: ["--no-sandbox", "--disable-gpu"] };
    const browser = await puppeteer.launch({ headless: true, defaultViewport: null, ...launch });
    return new Gallery(browser, server);
  }

  constructor(browser, server) {
    this.browser = browser;
    this.server = server;
    this.url = `http://127.0.0.1:${server.address().port}/`;
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
  }

  async close() {
    await this.browser.close().catch(() => {});
    this.server.close();
  }
}
