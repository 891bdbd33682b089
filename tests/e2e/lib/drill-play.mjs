// One session of the drill, broken at one event and played to its end, in whichever browser; and which events to break it at.
import { explainDrill, resetFolder } from "./drill-scenario.mjs";
import { openCards } from "./driver.mjs";
import { waitUntil } from "./wait.mjs";

const ATTEMPTS = 4;

/**
 * `stage` has `driver`, `server`, `folder`. With `at`, `arm(at)` prepares the break, `isReached()` says when it is due, and
 * `breakIt()` breaks and mends: `stage.driver` works again when it resolves.
 */
export async function play(stage, { at = null, arm = null, isReached = null, breakIt = null, timeoutMs = 90_000 } = {}) {
  const { server, folder } = stage;
  resetFolder(folder);
  const earlier = await stage.driver.log();
  const known = new Set(earlier.map((entry) => entry.session));
  const asked = server.requests.length;
  const text = `work ${asked}`;
  let wasBroken = false;
  if (at !== null) await arm(at);
  // Its answer may be lost with what is broken; the log has the session.
  void stage.driver.send("startSession", { text }).catch(() => {});
  if (at !== null) {
    wasBroken = await untilReached(stage, text, isReached);
    await breakIt(wasBroken);
  }
  const session = await sessionOf(stage, text, at !== null && at <= 1);
  await stage.driver.finish(session, { timeoutMs });
  // In the order in which they were written, whichever session they are of.
  const log = (await stage.driver.log()).filter((entry) => !known.has(entry.session)).toSorted((left, right) => left.at - right.at || left.session.localeCompare(right.session) || left.seq - right.seq);
  const faults = explainDrill({ log, session, folder, prompts: server.requests.slice(asked).map((request) => request.body.messages) });
  // What is over is put away: looking for the next event must not read all of the past.
  await stage.driver.send("deleteSession", { session, forGood: true });
  return { log, faults, wasBroken };
}

/** Cards are answered meanwhile: the event may lie behind them. False: the session ended before it came. */
async function untilReached(stage, text, isReached) {
  let reached = false;
  await waitUntil(
    "the deadly event",
    async () => {
      reached = await isReached();
      if (reached) return true;
      const log = await stage.driver.log();
      const session = log.find((entry) => entry.event.type === "UserMessage" && entry.event.text === text)?.session;
      const events = log.filter((entry) => entry.session === session).map((entry) => entry.event);
      const answers = openCards(events);
      // A background that is stopped answers nothing.
      if (answers.length > 0) void stage.driver.send("answerApproval", { session, answers }).catch(() => {});
      return events.some((event) => event.type === "TurnEnd");
    },
    { everyMs: 30 },
  );
  return reached;
}

/** `mayBeNone`: it was broken so early that there may be none. */
async function sessionOf(stage, text, mayBeNone) {
  let again = 0;
  return waitUntil(
    "the session",
    async () => {
      const log = await stage.driver.log();
      const found = log.find((entry) => entry.event.type === "UserMessage" && entry.event.text === text)?.session;
      if (found !== undefined) return found;
      // Broken before the first event was stored: the person never saw a session, and asks again.
      again += 1;
      if (again === 20 && mayBeNone) void stage.driver.send("startSession", { text }).catch(() => {});
      return null;
    },
    { everyMs: 50, describe: async () => JSON.stringify(await stage.driver.state()) },
  );
}

/** `DRILL=all` breaks at every event; else a sample is broken. */
export const isWhole = process.env.DRILL === "all";

/** `DRILL_ONLY=host` drills that alone. */
export const isWanted = (name) => process.env.DRILL_ONLY === undefined || process.env.DRILL_ONLY === name;

/** All places of a session, or those where most can go wrong: one of each of these kinds. `DRILL_AT=7,12` are these. */
export function placesOf(log, kinds) {
  if (process.env.DRILL_AT) return process.env.DRILL_AT.split(",").map(Number).filter((place) => place < log.length);
  if (isWhole) return Array.from({ length: log.length - 1 }, (_, place) => place + 1);
  return kinds.map((type) => log.findLastIndex((entry) => entry.event.type === type) + 1).filter((place) => place > 0 && place < log.length);
}

/** Plays the session at each place; gives the faults, and says what was done. */
export async function drillAt(stage, { name, log, places, one }) {
  const faults = [];
  let broken = 0;
  for (const at of places) {
    let done = await one(at);
    // How a stream is cut into deltas is not the same each time, so that the last events may have other numbers: once more.
    for (let again = 0; again < ATTEMPTS && !done.wasBroken; again += 1) {
      for (const fault of done.faults) faults.push(`${name}, not broken at event ${at}: ${fault}`);
      done = await one(at);
    }
    if (done.wasBroken) broken += 1;
    else faults.push(`${name}: event ${at} (${log[at - 1]?.event.type}) never came`);
    for (const fault of done.faults) faults.push(`${name} at event ${at} (${log[at - 1]?.event.type}): ${fault}`);
    if (isWhole || process.env.DRILL_AT) console.log(`${name}, event ${at} (${log[at - 1]?.event.type})${done.wasBroken ? "" : ", which did not come"}: ${done.faults.length} faults ${done.faults.join("; ")}`);
  }
  console.log(`${name}: broken at ${broken} of ${places.length} places in ${log.length} events, ${faults.length} faults`);
  return faults;
}
