// Runs the engine's tests in this browser, file by file, and leaves the outcome for who drives the page.
import { afterEach, collect, expect, runTest, test } from "./vitest.mjs";

const FILES = import.meta.glob(["../../{agent,app,approval,host,lib,llm,storage,wire}/**/*.test.ts"]);

/** Why a file is not run here. Whatever is not named is. */
const ELSEWHERE = {
  "app/cut-answer.test.ts": "its model server is Node's",
  "app/listeners.alone.test.ts": "puts other modules in the place of the browser's",
  "app/keys-and-models.test.ts": "its model server is Node's",
  "app/keys-nowhere.test.ts": "its model server is Node's",
  "app/notifier.alone.test.ts": "puts other modules in the place of the browser's",
  "app/silent-model.alone.test.ts": "its model server is Node's",
  "llm/demo/demo.test.ts": "works on a folder and runs git",
  "llm/openai-compatible.test.ts": "its model server is Node's",
  "llm/providers.test.ts": "its model server is Node's",
  "llm/strange-streams.test.ts": "its model server is Node's",
};

const asked = new URLSearchParams(location.search);
const wanted = asked.get("only");
/** Every so many files, from this one on: another page has the others, and another database. */
const [share, pages] = [Number(asked.get("share") ?? 0), Number(asked.get("pages") ?? 1)];
/** What must fail does: else all that passes says nothing. */
const MUST_FAIL = {
  "a wrong value": () => test("x", () => expect(1).toBe(2)),
  "a wrong value later": () => test("x", async () => expect(await Promise.resolve({ a: 1 })).toEqual({ a: 2 })),
  "a rejection that does not come": () => test("x", () => expect(Promise.resolve(1)).rejects.toThrow()),
  "an error": () => test("x", () => { throw new Error("x"); }),
  "a check that there is not": () => test("x", () => expect(1).toBeWhatever(1)),
  "a hook": () => (afterEach(() => Promise.reject(new Error("x"))), test("x", () => {})),
};

const outcome = { files: 0, tests: 0, failures: [], slowest: [], elsewhere: Object.keys(ELSEWHERE), done: false };
globalThis.outcome = outcome;

/** No await at the top: the tests' own chunks wait for this one. */
async function runAll() {
  for (const [what, register] of Object.entries(MUST_FAIL)) {
    const [bad] = await collect(register);
    if (bad === undefined || (await runTest(bad)) === null) outcome.failures.push({ file: "in-page", test: what, failure: "it passes" });
  }
  for (const [place, [path, load]] of Object.entries(FILES).entries()) {
    const name = path.replace("../../", "");
    if (place % pages !== share) continue;
    if (name in ELSEWHERE || (wanted !== null && !name.includes(wanted))) continue;
    const began = performance.now();
    outcome.current = name;
    try {
      const registered = await collect(load);
      if (registered.length === 0) outcome.failures.push({ file: name, test: "", failure: "it registers no test" });
      for (const each of registered) {
        outcome.current = `${name}: ${each.name}`;
        const failure = await runTest(each);
        outcome.tests += 1;
        if (failure !== null) outcome.failures.push({ file: name, test: each.name, failure });
      }
    } catch (error) {
      outcome.failures.push({ file: name, test: "", failure: `it cannot be loaded: ${error?.message}\n${error?.stack}` });
    }
    outcome.files += 1;
    outcome.slowest.push([name, Math.round(performance.now() - began)]);
  }
  outcome.done = true;
}

void runAll();
