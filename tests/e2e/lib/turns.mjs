// In which browsers the tests of a file run. `FLOWS=turns`: by turns, one in Chromium and the next in Firefox, not each in both;
// `FLOWS=turns-back` begins with Firefox, so that files of one test are not all for the same browser.
import { test } from "node:test";

const ORDER = { turns: ["chromium", "firefox"], "turns-back": ["firefox", "chromium"] }[process.env.FLOWS] ?? null;

/** How many tests of each browser there were so far. */
const count = new Map();

/** True where the next test of this browser is its turn: they stand in one order for all. */
export function isTurn(name) {
  const turn = count.get(name) ?? 0;
  count.set(name, turn + 1);
  return ORDER === null || ORDER[turn % ORDER.length] === name;
}

/** A test that is run where it is this browser's turn. */
export function inTurn(name, title, options, run) {
  if (isTurn(name)) test(title, options, run);
}

/** Of `parts` of something that can be parted those for this browser: all, or its own. */
export function partsFor(name, parts) {
  const all = Array.from({ length: parts }, (_, part) => part);
  return ORDER === null ? all : all.filter((part) => ORDER[Math.floor((part * ORDER.length) / parts)] === name);
}
