// @vitest-environment happy-dom
// Each try of a request is a step of its own: those of which nothing arrived leave no line in the conversation.
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { step } from "../gallery/parts.ts";
import type { ChatActions } from "./chat-actions.ts";
import { Step } from "./step.tsx";

afterEach(cleanup);

const actions = { resume: () => {}, stop: () => {} } as unknown as ChatActions;
const draw = (more: Parameters<typeof step>[0]) => render(<Step step={step({ state: "draft", ...more })} model="Team server" actions={actions} />).container;

test("nothing arrived: nothing is shown", () => {
  expect(draw({}).childElementCount).toBe(0);
});

test("something arrived: it stands there, and that it stopped", () => {
  expect(draw({ text: "The reason is that" }).textContent).toBe("The reason is thatThe answer stopped here.");
});

test("nothing arrived, and it is tried again: when, and the ways to shorten or end the wait", () => {
  const drawn = draw({ retry: { at: Date.now() + 4_000, attempt: 2, fault: { code: "rate_limited", message: "", hint: "", retryable: true } } });
  expect(screen.getByTestId("retry-now")).toBeTruthy();
  expect(drawn.textContent).not.toContain("The answer stopped here");
});
