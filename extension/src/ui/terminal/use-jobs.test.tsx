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
const job = (outcome: JobState["outcome"], more: Partial<JobState> = {}): JobState => ({ job: "job1", command: "serve", outcome, exitCode: null, signal: null, output: null, ...more });

function follow(answers: (readonly JobState[] | null)[], commands = [server]) {
  const asked: unknown[] = [];
  const send = async (_: string, { since }: { since: unknown }) => {
    asked.push(since);
    const jobs = answers.length > 1 ? answers.shift() : answers[0];
    if (!jobs) throw new Error("no host");
    return { jobs };
  };
  const client = { send } as unknown as PanelClient;
  const { result } = renderHook(() => useJobs(client, commands));
  const shown = () => result.current.map((command) => [outcomeOf(command), command.ended?.exitCode, command.canKill]);
  const written = () => result.current.map(({ output, skippedBytes }) => [output, skippedBytes]);
  return { asked, shown, written, wait: (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms)) };
}

test("it runs until it has ended, with its exit; then nothing is asked any more", async () => {
  const { asked, shown, wait } = follow([[job("running")], null, [job("exited", { exitCode: 3 })]]);
  await wait(0);
  expect(shown()).toEqual([["background", null, true]]);
  await wait(1_000);
  expect(shown()).toEqual([["background", null, true]]);
  await wait(1_000);
  expect(shown()).toEqual([["exited", 3, false]]);
  await wait(60_000);
  expect(asked).toHaveLength(3);
});

test("a job of another host by the same name is another one", async () => {
  const { shown, wait } = follow([[job("running", { command: "watch" })]]);
  await wait(0);
  expect(shown()).toEqual([["exited", null, false]]);
});

test("what it writes is shown as it comes, from where the last look ended, and no less after its end", async () => {
  const wrote = (text: string, nextSince: number) => ({ output: { text, nextSince } });
  const { asked, written, wait } = follow([[job("running", wrote("starting\nready\n", 15))], null, [job("running", wrote("", 15))], [job("exited", { exitCode: 0, ...wrote("bye\n", 19) })]]);
  await wait(0);
  expect(written()).toEqual([["starting\nready\n", 0]]);
  await wait(10_000);
  expect(written()).toEqual([["starting\nready\nbye\n", 0]]);
  expect(asked).toEqual([{ job1: 0 }, { job1: 15 }, { job1: 15 }, { job1: 15 }]);
});

test("of what is very long the end is shown, and how much came before it", async () => {
  const { written, wait } = follow([[job("running", { output: { text: "a".repeat(399_999), nextSince: 399_999 } })], [job("running", { output: { text: "bcd", nextSince: 400_002 } })], [job("exited")]]);
  await wait(10_000);
  const [[output = "", skipped] = []] = written() as [string, number][];
  expect([output.length, output.slice(-4), skipped]).toEqual([400_000, "abcd", 2]);
});

test("what another host wrote under the same name is not added to it", async () => {
  const { asked, written, wait } = follow([[job("running", { output: { text: "long ago\n", nextSince: 9 } })], [job("running", { output: { text: "", nextSince: 4 } })], [job("running", { output: { text: "new\n", nextSince: 4 } })]]);
  await wait(2_000);
  expect(written()).toEqual([["new\n", 0]]);
  expect(asked).toEqual([{ job1: 0 }, { job1: 9 }, { job1: 0 }]);
});

test("where none goes on nothing is asked", async () => {
  const { asked, wait } = follow([[]], [{ ...server, job: null, ended: { outcome: "exited", exitCode: 0, signal: null }, canKill: false }]);
  await wait(10_000);
  expect(asked).toEqual([]);
});
