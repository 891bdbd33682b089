// @vitest-environment happy-dom
// Row 16: a summary that was refused says when it is asked for again, and why; it can be had now, or not at all.
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { MakingRoom } from "./making-room.tsx";

afterEach(cleanup);

const retry = (inMs: number) => ({ at: Date.now() + inMs, attempt: 2, fault: { code: "rate_limited", message: "The model server asks for a pause.", hint: null, retryable: true } });

test("the wait counts down, with its reason and both ways out", () => {
  const acts = { resume: vi.fn(), stop: vi.fn() };
  render(<MakingRoom session={{ compacting: true, compactRetry: retry(9_500) }} model="demo" actions={acts} />);
  expect(document.body.textContent).toMatch(/in 10 s/);
  expect(document.body.textContent).toContain("summary");
  expect(screen.queryByTestId("compacting")).toBeNull();
  fireEvent.click(screen.getByTestId("retry-now"));
  expect(acts.resume).toHaveBeenCalledOnce();
  expect(acts.stop).not.toHaveBeenCalled();
});

test("when its time has come it is made, and nothing counts any more", () => {
  render(<MakingRoom session={{ compacting: true, compactRetry: retry(-1) }} model="demo" actions={{ resume: vi.fn(), stop: vi.fn() }} />);
  expect(screen.queryByTestId("retry-now")).toBeNull();
  expect(screen.getByTestId("compacting")).not.toBeNull();
});

test("one that the engine makes by itself counts down as well", () => {
  render(<MakingRoom session={{ compacting: false, compactRetry: retry(5_000) }} model="demo" actions={{ resume: vi.fn(), stop: vi.fn() }} />);
  expect(screen.getByTestId("retry-now")).not.toBeNull();
});
