// The pictures of the user guide, from scenes of the gallery: `node src/ui/gallery/doc-pictures.mjs` writes docs/pictures.
//
// Made anew when the panel looks different; each stays below 60 kB, so that the repository stays small.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { chromiumProgram } from "../../../../tests/e2e/lib/chromium.mjs";

const LARGEST = 60_000;

/** Scene, width, height, and what it shows. */
const PICTURES = [
  ["first-model", 360, 620],
  ["approve-hunks", 360, 640],
  ["answer", 360, 640],
  ["changes", 360, 560],
  ["terminal", 360, 560],
  ["context-sheet", 360, 480],
  ["palette", 360, 560],
  ["settings-rules", 360, 560],
  ["changes-split", 1000, 560],
];

const out = path.resolve(import.meta.dirname, "../../../../docs/pictures");
mkdirSync(out, { recursive: true });
const shots = mkdtempSync(path.join(tmpdir(), "outrigger-pictures-"));
const puppeteer = createRequire(import.meta.url)("puppeteer-core").default;
try {
  for (const [place, [scene, width, height]] of PICTURES.entries()) {
    execFileSync(process.execPath, [path.join(import.meta.dirname, "shots.mjs"), shots, "--exactly", scene, "--widths", String(width), "--height", String(height), "--themes", "light", ...(place > 0 ? ["--keep"] : [])], { stdio: "inherit" });
  }
  const browser = await puppeteer.launch({ executablePath: chromiumProgram(), headless: true, args: ["--no-sandbox", "--disable-gpu", "--allow-file-access-from-files"], defaultViewport: null });
  try {
    const page = await browser.newPage();
    for (const [scene, width, height] of PICTURES) {
      const file = path.join(out, `${scene}.webp`);
      await page.setViewport({ width, height, deviceScaleFactor: width < 600 ? 2 : 1 });
      await page.goto(pathToFileURL(path.join(shots, `${scene}-${width}-en-light.png`)).href);
      await page.evaluate(() => {
        const picture = document.querySelector("img");
        document.body.style.cssText = "margin:0;background:none;display:block";
        picture.style.cssText = "display:block;width:100vw;height:auto;margin:0;cursor:auto";
      });
      await page.screenshot({ path: file, type: "webp", quality: 80 });
      const { size } = statSync(file);
      process.stdout.write(`${scene}.webp ${size}\n`);
      if (size > LARGEST) process.exitCode = 1;
    }
  } finally {
    await browser.close();
  }
} finally {
  rmSync(shots, { recursive: true, force: true });
}
