// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { ConnectionProblem } from "./connection-problem.tsx";

afterEach(cleanup);

const fault = { reason: 1, code: "host_not_found", message: "The Outrigger host is not installed for this browser.", hint: "Install it:", command: "outrigger install --browser chromium", detail: "Specified native messaging host not found." };

test("it shows the reason's number, what is wrong, and the exact command with a way to copy it", async () => {
  const copied: string[] = [];
  Object.defineProperty(navigator, "clipboard", { configurable: true, value: { writeText: (value: string) => Promise.resolve(void copied.push(value)) } });
  render(<ConnectionProblem fault={fault} retryAt={1} onRetry={() => {}} />);
  const shown = screen.getByTestId("connection-problem").textContent;
  for (const part of ["Reason 1", "host_not_found", fault.message, fault.command, "goes on by itself"]) expect(shown).toContain(part);
  fireEvent.click(screen.getByLabelText("Copy"));
  expect(await screen.findByLabelText("Copied")).toBeTruthy();
  expect(copied).toEqual([fault.command]);
});

test("Retry is always there, also when the panel has stopped trying", () => {
  let retries = 0;
  render(<ConnectionProblem fault={{ ...fault, command: null, detail: null }} retryAt={null} onRetry={() => (retries += 1)} />);
  expect(screen.getByTestId("connection-problem").textContent).toContain("stopped trying");
  fireEvent.click(screen.getByTestId("connection-retry"));
  expect(retries).toBe(1);
});

test.each([["Mozilla/5.0 (Windows NT 10.0; Win64; x64)", ".\\install.cmd"], ["Mozilla/5.0 (X11; Linux x86_64)", "./install.sh"]])("%s: the script that is in its archive", (agent, script) => {
  const { userAgent } = navigator;
  Object.defineProperty(navigator, "userAgent", { configurable: true, value: agent });
  render(<ConnectionProblem fault={fault} retryAt={1} onRetry={() => {}} />);
  fireEvent.click(screen.getByText(/does not know this command/));
  expect(screen.getByTestId("connection-problem").textContent).toContain(script);
  Object.defineProperty(navigator, "userAgent", { configurable: true, value: userAgent });
});
