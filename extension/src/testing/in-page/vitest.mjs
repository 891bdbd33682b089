// The part of vitest that the engine's tests use, for a page: they are registered here and run one after the other.
//
// What checks is vitest's own (`@vitest/expect`, `@vitest/spy`); what is missing here makes a test fail, never pass.
import FakeTimers from "@sinonjs/fake-timers";
import { chai, JestAsymmetricMatchers, JestChaiExpect, JestExtend } from "@vitest/expect";
import { fn, restoreAllMocks, spyOn } from "@vitest/spy";

for (const part of [JestExtend, JestChaiExpect, JestAsymmetricMatchers]) chai.use(part);

export const expect = Object.assign((value, message) => chai.expect(value, message), { ...methodsOf(chai.expect), not: chai.expect.not, poll });

function methodsOf(source) {
  return Object.fromEntries(Object.getOwnPropertyNames(source).filter((name) => !["length", "name", "prototype"].includes(name)).map((name) => [name, source[name]]));
}

/** A check that is made again until it holds. */
function poll(read, { timeout = 30_000 } = {}) {
  return new Proxy({}, { get: (_target, check) => (...args) => vi.waitFor(async () => chai.expect(await read())[check](...args), { timeout }) });
}

let clock = null;

export const vi = {
  fn,
  spyOn,
  useFakeTimers: ({ toFake, now } = {}) => void (clock = FakeTimers.install({ ...(toFake === undefined ? { toNotFake: ["nextTick", "queueMicrotask"] } : { toFake }), now: now ?? Date.now(), ignoreMissingTimers: true })),
  useRealTimers: () => (clock?.uninstall(), (clock = null)),
  advanceTimersByTimeAsync: (ms) => clock.tickAsync(ms),
  waitFor: async (check, { timeout = 1_000, interval = 50 } = {}) => {
    for (const end = performance.now() + timeout; ; ) {
      try {
        return await check();
      } catch (error) {
        if (performance.now() > end) throw error;
        await new Promise((resolve) => {
          setTimeout(resolve, interval);
        });
      }
    }
  },
};

/** What was registered since `collect`: tests with the hooks around them. */
let tests = [];
let scope = { names: [], before: [], after: [], parent: null };
let finished = [];

export function describe(name, register) {
  scope = { names: [...scope.names, name], before: [], after: [], parent: scope };
  register();
  scope = scope.parent;
}

export function test(name, ...rest) {
  const run = rest.find((each) => typeof each === "function");
  tests.push({ name: [...scope.names, name].join(" > "), run, scope });
}
export const it = test;

describe.each = (table) => (name, register) => table.forEach((row, place) => describe(titled(name, row, place), () => register(...argsOf(row))));
test.each = (table) => (name, run) => table.forEach((row, place) => test(titled(name, row, place), () => run(...argsOf(row))));

export const beforeEach = (hook) => void scope.before.push(hook);
export const afterEach = (hook) => void scope.after.push(hook);
export const onTestFinished = (hook) => void finished.push(hook);

const argsOf = (row) => (Array.isArray(row) ? row : [row]);
const titled = (name, row, place) => `${name} [${place}: ${argsOf(row).map(String).join(", ").slice(0, 60)}]`;

/** The tests that a file registers. */
export async function collect(load) {
  tests = [];
  scope = { names: [], before: [], after: [], parent: null };
  await load();
  return tests;
}

/** Null: it passed. */
export async function runTest({ run, scope: own }) {
  const scopes = [];
  for (let each = own; each !== null; each = each.parent) scopes.push(each);
  finished = [];
  let failure = null;
  const attempt = async (work) => {
    try {
      await work();
    } catch (error) {
      failure ??= error instanceof Error ? `${error.message}\n${error.stack ?? ""}` : String(error);
    }
  };
  for (const { before } of scopes.toReversed()) for (const hook of before) await attempt(hook);
  if (failure === null) await attempt(() => run());
  for (const hook of finished) await attempt(hook);
  for (const { after } of scopes) for (const hook of after.toReversed()) await attempt(hook);
  restoreAllMocks();
  return failure;
}
