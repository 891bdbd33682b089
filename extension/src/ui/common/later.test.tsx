// @vitest-environment happy-dom
// A part that comes later: drawn when it has come, at once the next time, and asked for again where it could not be had.
import { act, cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { ErrorBoundary } from "./error-boundary.tsx";
import { later } from "./later.tsx";

afterEach(cleanup);

const Words = ({ words }: { words: string }) => <p>{words}</p>;

test("it is read once, and then drawn without an empty moment", async () => {
  const read = vi.fn(() => Promise.resolve(Words));
  const Part = later(read);
  await act(async () => render(<Part words="first" />));
  expect(screen.getByText("first")).toBeTruthy();
  cleanup();
  render(<Part words="second" />);
  expect(screen.getByText("second")).toBeTruthy();
  expect(read).toHaveBeenCalledTimes(1);
});

test("what was loaded before it was needed is there at once", async () => {
  const Part = later(() => Promise.resolve(Words));
  await Part.load();
  render(<Part words="at once" />);
  expect(screen.getByText("at once")).toBeTruthy();
});

test("where it could not be had, the next one asks again", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  let tries = 0;
  const Part = later(() => (tries++ === 0 ? Promise.reject(new Error("gone")) : Promise.resolve(Words)));
  await act(async () => render(<ErrorBoundary><Part words="here" /></ErrorBoundary>));
  expect(screen.queryByText("here")).toBeNull();
  cleanup();
  await act(async () => render(<ErrorBoundary><Part words="here" /></ErrorBoundary>));
  expect(screen.getByText("here")).toBeTruthy();
});
