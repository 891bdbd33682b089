// @vitest-environment happy-dom
// A command that goes on in the background is followed to its end: its exit, and no Kill when there is nothing to end.
import { act, cleanup, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { CommandView } from "../../agent/commands.ts";
import type { PanelClient } from "../../app/panel-client.ts";
import type { JobState } from "../../app/views.ts";
import { outcomeOf } from "./outcome-of.ts";
import { useJobs } from "./use-jobs.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

const server: CommandView = {
  call: "c", turn: "t", state: "done", command: "serve", args: [], workdir: ".", output: "starting", skippedBytes: 0,
  ended: { outcome: "running", exitCode: null, signal: null }, job: "job1", startedAt: 1, endedAt: 2, durationMs: 1, canKill: true,
};
const job = (outcome: JobState["outcome"], more: Partial<JobState> = {}): JobState => ({ job: "job1", command: "serve", outcome, exitCode: null, signal: null, ...more });

function follow(answers: (readonly JobState[] | null)[], commands = [server]) {
  let asked = 0;
  const send = async () => {
    asked += 1;
    const jobs = answers.length > 1 ? answers.shift() : answers[0];
    if (!jobs) throw new Error("no host");
    return { jobs };
  };
  const client = { send } as unknown as PanelClient;
  const { result } = renderHook(() => useJobs(client, "s", commands));
  const shown = () => result.current.map((command) => [outcomeOf(command), command.ended?.exitCode, command.canKill]);
  return { asked: () => asked, shown, wait: (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms)) };
}

test("it runs until it has ended, with its exit; then nothing is asked any more", async () => {
  const { asked, shown, wait } = follow([[job("running")], null, [job("exited", { exitCode: 3 })]]);
  await wait(0);
  expect(shown()).toEqual([["background", null, true]]);
  await wait(3_000);
  expect(shown()).toEqual([["background", null, true]]);
  await wait(3_000);
  expect(shown()).toEqual([["exited", 3, false]]);
  await wait(60_000);
  expect(asked()).toBe(3);
});

test("a job of another host by the same name is another one", async () => {
  const { shown, wait } = follow([[job("running", { command: "watch" })]]);
  await wait(0);
  expect(shown()).toEqual([["exited", null, false]]);
});

test("where none goes on nothing is asked", async () => {
  const { asked, wait } = follow([[]], [{ ...server, job: null, ended: { outcome: "exited", exitCode: 0, signal: null }, canKill: false }]);
  await wait(10_000);
  expect(asked()).toBe(0);
});
