// Pictures of every scene at three widths and in both themes, and a word on what does not fit.
//
//   node src/ui/gallery/shots.mjs OUT [--only NAME[,NAME]] [--exactly NAME] [--widths 360,480,1200] [--themes light,dark] [--langs en,de] [--dir rtl] [--forced]
//
// `--forced` draws in forced colours and without motion; a width of 180 is the narrowest panel at 200 %.
// Builds the gallery first. Ends with 1 where anything is wider than its window.
import { createServer } from "node:http";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { parseArgs } from "node:util";
import { build } from "vite";
import { chromiumProgram } from "../../../../tests/e2e/lib/chromium.mjs";

const { values, positionals } = parseArgs({ allowPositionals: true, options: { only: { type: "string" }, exactly: { type: "string" }, widths: { type: "string", default: "360,480,1200" }, themes: { type: "string", default: "light,dark" }, langs: { type: "string", default: "en" }, dir: { type: "string" }, forced: { type: "boolean", default: false }, height: { type: "string", default: "700" }, keep: { type: "boolean", default: false } } });
const out = path.resolve(positionals[0] ?? "gallery-shots");
const here = import.meta.dirname;
const built = path.resolve(here, "../../../.output/gallery");
mkdirSync(out, { recursive: true });

if (!values.keep) await build({ configFile: path.join(here, "vite.config.ts"), logLevel: "error" });

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".woff2": "font/woff2", ".svg": "image/svg+xml" };
const server = createServer((request, response) => {
  const name = new URL(request.url, "http://x").pathname;
  try {
    const file = path.join(built, name === "/" ? "index.html" : path.normalize(name));
    const body = readFileSync(file);
    response.writeHead(200, { "content-type": TYPES[path.extname(file)] ?? "application/octet-stream" });
    response.end(body);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const base = `http://127.0.0.1:${server.address().port}/`;

const puppeteer = createRequire(import.meta.url)("puppeteer-core").default;
const browser = await puppeteer.launch({ executablePath: chromiumProgram(), headless: true, args: ["--no-sandbox", "--disable-gpu", "--force-color-profile=srgb"], defaultViewport: null });
let faults = 0;
try {
  const page = await browser.newPage();
  page.on("pageerror", (error) => {
    faults += 1;
    process.stdout.write(`ERROR ${page.url()}: ${error.message}\n`);
  });
  if (values.forced) await (await page.createCDPSession()).send("Emulation.setEmulatedMedia", { features: [{ name: "forced-colors", value: "active" }, { name: "prefers-reduced-motion", value: "reduce" }] });
  await page.goto(base);
  await page.waitForSelector("li a");
  const all = await page.$$eval("li a", (links) => links.map((link) => link.textContent));
  const wanted = values.exactly !== undefined ? [values.exactly] : values.only === undefined ? all.filter((name) => !name.startsWith("huge")) : all.filter((name) => values.only.split(",").some((part) => name.startsWith(part)));
  for (const width of values.widths.split(",").map(Number)) {
    await page.setViewport({ width, height: Number(values.height), deviceScaleFactor: width < 600 ? 2 : 1 });
    for (const lang of values.langs.split(",")) {
      for (const name of wanted) {
        for (const theme of values.themes.split(",")) {
          await page.goto("about:blank");
          await page.goto(`${base}?state=${name}&theme=${theme}&lang=${lang}${values.dir ? `&dir=${values.dir}` : ""}`);
          await page.waitForSelector("html[data-ready]");
          await page.evaluate(() => document.fonts.ready);
          // A card's buttons count after a moment; before it they are pale.
          await page.waitForFunction(() => document.querySelector("[data-testid=approval-card][data-armed=false]") === null);
          await new Promise((resolve) => setTimeout(resolve, 60));
          const wide = await page.evaluate(overflowing);
          if (wide.length > 0) {
            faults += 1;
            process.stdout.write(`WIDE ${name} ${lang} ${width}: ${wide.join(" | ")}\n`);
          }
          await page.screenshot({ path: path.join(out, `${name}-${width}-${lang}-${theme}.png`) });
        }
      }
    }
  }
  process.stdout.write(`${wanted.length} scenes, ${faults} faults\n`);
} finally {
  await browser.close();
  server.close();
}
process.exitCode = faults === 0 ? 0 : 1;

/** Runs in the page: what reaches beyond the window without a box around it that scrolls or cuts on purpose. */
function overflowing() {
  const limit = document.documentElement.clientWidth + 1;
  const isCut = (element) => {
    for (let up = element.parentElement; up !== null && up !== document.body; up = up.parentElement) {
      const style = getComputedStyle(up);
      if (/(auto|scroll)/.test(style.overflowX) || up.matches(".truncate, .sr-only")) return true;
    }
    return false;
  };
  return [...document.querySelectorAll("#root *")]
    .filter((element) => {
      const box = element.getBoundingClientRect();
      return box.width > 0 && (box.right > limit || box.left < -1) && !element.matches(".sr-only, .sr-only *") && !isCut(element);
    })
    .slice(0, 3)
    .map((element) => `${element.tagName.toLowerCase()}.${String(element.getAttribute("class") ?? "").slice(0, 40)} “${element.textContent.slice(0, 30)}”`);
}
