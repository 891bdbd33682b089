// @vitest-environment happy-dom
// What was pasted in a hundred lines does not push its answer out of sight, and is all there when someone wants it.
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { UserMessage } from "./user-message.tsx";

afterEach(cleanup);

const lines = (count: number) => Array.from({ length: count }, (_, place) => `line ${place}`).join("\n");
const isCut = () => screen.getByTestId("user-message").querySelector("[class*=line-clamp]") !== null;

test.each([["few lines", lines(24), false], ["many lines", lines(25), true], ["a long line", "word ".repeat(301), true]])("%s", (_, message, isLong) => {
  render(<UserMessage message={message} />);
  expect([isCut(), screen.queryByTestId("user-message-whole") !== null]).toEqual([isLong, isLong]);
});

test("all of it is shown, and its beginning again", () => {
  render(<UserMessage message={lines(200)} />);
  const whole = screen.getByTestId("user-message-whole");
  fireEvent.click(whole);
  expect([isCut(), whole.getAttribute("aria-expanded"), whole.textContent]).toEqual([false, "true", "Show less"]);
  fireEvent.click(whole);
  expect([isCut(), whole.getAttribute("aria-expanded")]).toEqual([true, "false"]);
});
