// The engine's unit tests, built as one page and served: run by the browser itself, with its own IndexedDB, clock and locks.
import { buildPage, servePage } from "./built-page.mjs";
import { chromiumProgram } from "./chromium.mjs";
import { firefoxProgram } from "./firefox.mjs";
import { requireFromExtension } from "./places.mjs";

export function buildTests() {
  buildPage("src/testing/in-page/vite.config.ts");
}

/** Two keep both cores busy, and one works while the other waits. */
const PAGES = 2;

/** A page in the background keeps its timers. */
const AWAKE = { "dom.min_background_timeout_value": 4, "dom.min_background_timeout_value_without_budget_throttling": 4, "dom.timeout.enable_budget_timer_throttling": false };

/** What the pages say when they are done: `{files, tests, failures, slowest, elsewhere}`. */
export async function runTests(name, { only = null, timeoutMs }) {
  // Each on an address of its own: an origin has one database, and one set of locks.
  const servers = await Promise.all(Array.from({ length: PAGES }, () => servePage("in-page")));
  const { default: puppeteer } = requireFromExtension("puppeteer-core");
  const launch = name === "firefox" ? { browser: "firefox", protocol: "webDriverBiDi", executablePath: firefoxProgram(), extraPrefsFirefox: AWAKE } : { executablePath: chromiumProgram(), args: ["--no-sandbox", "--disable-gpu", "--disable-background-timer-throttling", "--disable-renderer-backgrounding"] };
  const browser = await puppeteer.launch({ headless: true, ...launch });
  const end = Date.now() + timeoutMs;
  try {
    const outcomes = await Promise.all(servers.map((server, share) => runShare(browser, `${server.url}?share=${share}&pages=${PAGES}${only === null ? "" : `&only=${only}`}`, end)));
    const sum = (read) => outcomes.reduce((total, outcome) => total + read(outcome), 0);
    return { elsewhere: outcomes[0].elsewhere, files: sum(({ files }) => files), tests: sum(({ tests }) => tests), failures: outcomes.flatMap(({ failures }) => failures), slowest: outcomes.flatMap(({ slowest }) => slowest).toSorted((left, right) => right[1] - left[1]) };
  } finally {
    await browser.close();
    for (const server of servers) server.close();
  }
}

async function runShare(browser, url, end) {
  const page = await browser.newPage();
  let broken = null;
  page.on("pageerror", (error) => (broken ??= error));
  await page.goto(url);
  for (;;) {
    const outcome = await page.evaluate(() => globalThis.outcome ?? null);
    if (outcome?.done === true) return outcome;
    if (outcome === null && broken !== null) throw broken;
    if (Date.now() > end) throw new Error(`not done in time; it is at ${outcome?.current ?? "the beginning"}: ${JSON.stringify(outcome?.failures ?? [])}`);
    await new Promise((resolve) => {
      setTimeout(resolve, 250);
    });
  }
}
