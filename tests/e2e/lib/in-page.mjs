// The engine's unit tests, built as one page and served: run by the browser itself, with its own IndexedDB, clock and locks.
import { buildPage, servePage } from "./built-page.mjs";
import { chromiumProgram } from "./chromium.mjs";
import { firefoxProgram } from "./firefox.mjs";
import { requireFromExtension } from "./places.mjs";
import { partsFor } from "./turns.mjs";
import { sleep, within } from "./wait.mjs";

export function buildTests() {
  buildPage("src/testing/in-page/vite.config.ts");
}

/** Two pages keep both cores busy, and one works while the other waits. */
const PAGES = 2;
/** What a browser has to do is parted so that two can have half of it each. */
const PARTS = 2 * PAGES;

/** A page in the background keeps its timers. */
const AWAKE = { "dom.min_background_timeout_value": 4, "dom.min_background_timeout_value_without_budget_throttling": 4, "dom.timeout.enable_budget_timer_throttling": false };

/** The browser's process for a page has died. Where what ran in it is to blame, it dies again. */
class PageCrash extends Error {}

/** What the pages say when they are done: `{files, tests, failures, slowest, elsewhere}`. Where the browser dies under them, once more. */
export async function runTests(name, { only = null, timeoutMs }) {
  const end = Date.now() + timeoutMs;
  try {
    return await runOnce(name, only, end);
  } catch (error) {
    if (!(error instanceof PageCrash)) throw error;
    console.error(`${name}: ${error.message}; they run once more`);
    return runOnce(name, only, end);
  }
}

async function runOnce(name, only, end) {
  // Each on an address of its own: an origin has one database, and one set of locks.
  const parts = partsFor(name, PARTS);
  const shares = parts.length === PARTS ? { of: PAGES, own: Array.from({ length: PAGES }, (_, share) => share) } : { of: PARTS, own: parts };
  const servers = await Promise.all(shares.own.map(() => servePage("in-page")));
  const { default: puppeteer } = requireFromExtension("puppeteer-core");
  const launch = name === "firefox" ? { browser: "firefox", protocol: "webDriverBiDi", executablePath: firefoxProgram(), extraPrefsFirefox: AWAKE } : { executablePath: chromiumProgram(), args: ["--no-sandbox", "--disable-gpu", "--disable-background-timer-throttling", "--disable-renderer-backgrounding"] };
  const browser = await puppeteer.launch({ headless: true, ...launch });
  try {
    const outcomes = await Promise.all(servers.map((server, index) => runShare(browser, `${server.url}?share=${shares.own[index]}&pages=${shares.of}${only === null ? "" : `&only=${only}`}`, end)));
    const sum = (read) => outcomes.reduce((total, outcome) => total + read(outcome), 0);
    return { elsewhere: outcomes[0].elsewhere, files: sum(({ files }) => files), tests: sum(({ tests }) => tests), failures: outcomes.flatMap(({ failures }) => failures), slowest: outcomes.flatMap(({ slowest }) => slowest).toSorted((left, right) => right[1] - left[1]) };
  } finally {
    await browser.close();
    for (const server of servers) server.close();
  }
}

/** A page that is at work answers between two of its steps. */
const SILENCE_MS = 120_000;

async function runShare(browser, url, end) {
  const page = await browser.newPage();
  let broken = null;
  page.on("pageerror", (error) => (broken ??= error));
  // Who asks a page that has crashed gets no answer.
  const crash = new Promise((resolve) => {
    page.on("error", (crashed) => resolve({ crashed }));
  });
  await page.goto(url);
  for (let last = null; ; ) {
    const asked = page.evaluate(() => ({ outcome: globalThis.outcome ?? null })).catch((error) => ({ error }));
    const answer = await within(SILENCE_MS, Promise.race([asked, crash]));
    const at = `after it was at ${last?.current ?? "the beginning"}`;
    if (answer === null) throw new Error(`the page said nothing for ${SILENCE_MS / 1_000} s ${at}`);
    if (answer.crashed !== undefined) throw new PageCrash(`the page crashed (${answer.crashed.message}) ${at}`);
    if (answer.error !== undefined) throw new Error(`the page cannot be asked (${answer.error.message}) ${at}`);
    const { outcome } = answer;
    if (outcome?.done === true) return outcome;
    if (outcome === null && broken !== null) throw broken;
    if (Date.now() > end) throw new Error(`not done in time; it is at ${outcome?.current ?? "the beginning"}: ${JSON.stringify(outcome?.failures ?? [])}`);
    last = outcome ?? last;
    await sleep(250);
  }
}
