// @vitest-environment happy-dom
// The way on comes under the hand by itself, at the end of an answer: a press that was on its way then was meant for something else.
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { TurnView } from "../../agent/session-view.ts";
import { RetryCountdown } from "./retry-countdown.tsx";
import { TurnFault } from "./turn-fault.tsx";

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

const fault = { code: "network", message: "It is gone.", hint: null, retryable: true };
const done: string[] = [];
const actions = { resume: () => done.push("resume"), retry: () => done.push("retry") };
const turn = (more: Partial<TurnView>) => ({ model: "demo", modelLabel: "Demo", paused: null, fault: null, canRetry: true, ...more }) as TurnView;

test.each([
  ["continue", <TurnFault key="paused" turn={turn({ paused: { reason: "step_cap", message: "50 steps were made." } })} actions={actions} />, "resume"],
  ["retry", <TurnFault key="failed" turn={turn({ fault })} actions={actions} />, "retry"],
  ["retry-now", <RetryCountdown key="waits" retry={{ at: Date.now() + 9_000, attempt: 1, fault }} model="Demo" onNow={actions.resume} onCancel={() => {}} />, "resume"],
])("%s takes no press in its first moment, then every one; a key at once", async (name, part, does) => {
  done.length = 0;
  render(part);
  const press = (detail: number) => fireEvent.click(screen.getByTestId(name), { detail });
  press(1);
  expect(done).toEqual([]);
  press(0);
  await act(() => vi.advanceTimersByTimeAsync(350));
  press(1);
  press(1);
  expect(done).toEqual([does, does, does]);
});
