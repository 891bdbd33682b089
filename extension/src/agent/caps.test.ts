// Rows 10 and 16 (ancestor fault 16): every stop pauses and asks, and counts anew after Continue.
import { describe, expect, test } from "vitest";
import { SessionScript } from "../testing/session-script.ts";
import type { TurnLimits } from "./events.ts";
import { nearestCap, pauseOf } from "./caps.ts";

function turnOf({ log }: SessionScript) {
  const turn = log.turns.at(-1);
  if (turn === undefined) throw new Error("no turn");
  return turn;
}

function script(limits: TurnLimits = {}): SessionScript {
  return new SessionScript({ workspace: null, model: "demo", mode: "ask", limits }).say("go").begin();
}

describe("row 10: a turn pauses", () => {
  test("after so many steps", () => {
    const it = script({ steps: 3 });
    for (let place = 0; place < 3; place += 1) {
      expect(pauseOf(turnOf(it))).toBeNull();
      it.step([{ tool: "fs_read", args: { path: `${place}` }, text: `${place}` }]);
    }
    expect(pauseOf(turnOf(it))).toMatchObject({ reason: "step_cap" });
    it.resume();
    expect(pauseOf(turnOf(it))).toBeNull();
  });

  test("at what it costs", () => {
    const it = script({ costUsd: 0.5 });
    it.step([{ tool: "a", args: {}, text: "2" }], { costUsd: 0.45 });
    expect(pauseOf(turnOf(it))).toBeNull();
    expect(nearestCap(turnOf(it))).toMatchObject({ reason: "cost_cap", share: 0.9 });
    it.step([{ tool: "a", args: {}, text: "3" }], { costUsd: 0.05 });
    expect(pauseOf(turnOf(it))).toMatchObject({ reason: "cost_cap", message: expect.stringContaining("$0.50") });
    expect(pauseOf(turnOf(it.resume()))).toBeNull();
  });

  test("once, where it may cost so much and nobody knows what it costs", () => {
    const free = script().step([{ tool: "a", args: {}, text: "1" }], { costUsd: null });
    expect(pauseOf(turnOf(free))).toBeNull();
    const it = script({ costUsd: 0.5 }).step([{ tool: "a", args: {}, text: "1" }], { costUsd: 0 });
    expect(pauseOf(turnOf(it))).toBeNull();
    it.step([{ tool: "a", args: {}, text: "2" }], { costUsd: null });
    expect(pauseOf(turnOf(it))).toMatchObject({ reason: "price_unknown", message: expect.stringContaining("$0.50") });
    it.resume().step([{ tool: "a", args: {}, text: "3" }], { costUsd: null });
    expect(pauseOf(turnOf(it))).toBeNull();
    // What is known still counts.
    it.step([{ tool: "a", args: {}, text: "4" }], { costUsd: 0.6 });
    expect(pauseOf(turnOf(it))).toMatchObject({ reason: "cost_cap" });
  });

  test("after so long at work, whatever a person took to answer", () => {
    const it = script({ minutes: 10 });
    it.wait(9 * 60_000).step([{ tool: "a", args: {}, text: "1" }]);
    expect(pauseOf(turnOf(it))).toBeNull();
    it.askFor("fs_edit").wait(8 * 3_600_000).allow("edited");
    expect(pauseOf(turnOf(it))).toBeNull();
    it.wait(61_000).step([{ tool: "a", args: {}, text: "2" }]);
    expect(pauseOf(turnOf(it))).toMatchObject({ reason: "time_cap" });
  });

  test("when the same call fails three times, in whatever order its arguments are written", () => {
    const it = script();
    it.step([{ tool: "a", args: { x: 1, y: 2 }, text: "no", isError: true }]);
    it.step([{ tool: "a", args: { y: 2, x: 1 }, text: "no", isError: true }]);
    expect(pauseOf(turnOf(it))).toBeNull();
    it.step([{ tool: "a", args: { x: 1, y: 2 }, text: "no", isError: true }]);
    expect(pauseOf(turnOf(it))).toMatchObject({ reason: "same_failure", message: expect.stringContaining("a failed 3 times") });
  });

  test("but not where it worked in between", () => {
    const it = script();
    for (const isError of [true, true, false, true, true]) it.step([{ tool: "a", args: {}, text: `${isError}`, isError }]);
    expect(pauseOf(turnOf(it))).toBeNull();
  });

  test("when five steps brought nothing new; a changed result is news", () => {
    const it = script();
    for (let place = 0; place < 5; place += 1) it.step([{ tool: "fs_read", args: { path: "a" }, text: "same" }]);
    expect(pauseOf(turnOf(it))).toBeNull();
    it.step([{ tool: "fs_read", args: { path: "a" }, text: "same" }]);
    expect(pauseOf(turnOf(it))).toMatchObject({ reason: "no_progress" });
    const other = script();
    for (let place = 0; place < 30; place += 1) other.step([{ tool: "exec_output", args: { job: "1" }, text: `${place} of 30` }]);
    expect(pauseOf(turnOf(other))).toBeNull();
  });
});
