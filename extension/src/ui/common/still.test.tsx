// @vitest-environment happy-dom
// A press is meant for what stood there when the hand set out; what came or moved since takes none for its moment.
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Still } from "./still.tsx";

let pressed: string[] = [];
const button = (name: string, top: number) => <button key={name} type="button" data-top={top} onClick={() => pressed.push(name)}>{name}</button>;
const press = (name: string, detail = 1) => fireEvent.click(screen.getByText(name), { detail });
const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

beforeEach(() => {
  pressed = [];
  vi.useFakeTimers();
  vi.spyOn(HTMLElement.prototype, "getBoundingClientRect").mockImplementation(function at(this: HTMLElement) {
    return new DOMRect(0, Number(this.dataset["top"] ?? 0), 100, 20) as never;
  });
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test("Send, where Stop stood a moment ago, does not take the press for it; a key counts at once", async () => {
  const { rerender } = render(<Still>{button("stop", 40)}</Still>);
  press("stop");
  rerender(<Still>{button("send", 40)}</Still>);
  press("send");
  expect(pressed).toEqual(["stop"]);
  expect(screen.getByText("send").hasAttribute("data-stirred")).toBe(true);
  press("send", 0);
  await pass(350);
  expect(screen.getByText("send").hasAttribute("data-stirred")).toBe(false);
  press("send");
  expect(pressed).toEqual(["stop", "send", "send"]);
});

test("a row that moved takes no press; one that stayed does", async () => {
  const { rerender } = render(<Still>{[button("first", 0), button("second", 20), button("third", 40)]}</Still>);
  rerender(<Still>{[button("second", 0), button("third", 40)]}</Still>);
  press("second");
  press("third");
  expect(pressed).toEqual(["third"]);
  await pass(350);
  press("second");
  expect(pressed).toEqual(["third", "second"]);
});

test("what moves to where none of these stood is still what was meant", async () => {
  const { rerender } = render(<Still>{[button("first", 40), button("second", 60)]}</Still>);
  rerender(<Still>{[button("first", 0), button("second", 20)]}</Still>);
  press("first");
  press("second");
  expect(pressed).toEqual(["first", "second"]);
});

test("what comes at the end of what grows takes none when it comes, and all when it moves with the rest", async () => {
  const { rerender } = render(<Still arrives>{button("retry", 40)}</Still>);
  press("retry");
  expect(pressed).toEqual([]);
  press("retry", 0);
  expect(pressed).toEqual(["retry"]);
  await pass(350);
  rerender(<Still arrives>{[button("retry", 20), button("settings", 40)]}</Still>);
  press("retry");
  press("settings");
  expect(pressed).toEqual(["retry", "retry"]);
});

test("what floats takes none when it comes, whatever it came over", async () => {
  render(<Still floats>{button("undo", 0)}</Still>);
  press("undo");
  expect(pressed).toEqual([]);
  await pass(350);
  press("undo");
  expect(pressed).toEqual(["undo"]);
});
