// @vitest-environment happy-dom
// Rows 38, 41: what a tool was given and what it gave, drawn by what it is, shut until somebody looks.
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import type { ToolCallState } from "../../agent/session-view.ts";
import { call } from "../gallery/parts.ts";
import { editPlan } from "../gallery/plans.ts";
import { ToolCard } from "./tool-card.tsx";

afterEach(cleanup);

test.each<[ToolCallState, string]>([
  ["writing", "being written"],
  ["queued", "queued"],
  ["running", "running"],
  ["answered", "answered"],
  ["done", "done"],
  ["failed", "failed"],
  ["denied", "denied"],
  ["cancelled", "cancelled"],
  ["dropped", "never ran"],
])("%s says so, to eyes and ears", (state, words) => {
  render(<ToolCard call={call("fs_read", { path: "a.txt" }, { state })} />);
  const card = screen.getByTestId("tool-card");
  expect(card.dataset).toMatchObject({ tool: "fs_read", state });
  expect(card.textContent).toContain(words);
  expect(card.textContent).toContain("a.txt");
});

test("opened, it shows parameters and result", () => {
  render(<ToolCard call={call("search_grep", { pattern: "sum" }, { result: { isError: false, text: "src/sum.js:1", structured: {}, code: null, durationMs: 1, replayed: false } })} />);
  expect(screen.queryByText(/src\/sum\.js:1/)).toBeNull();
  fireEvent.click(screen.getByRole("button"));
  expect(screen.getByText(/src\/sum\.js:1/)).toBeTruthy();
  expect(screen.getByText(/"pattern": "sum"/)).toBeTruthy();
});

test("a failure shows its code, its message and what would work", () => {
  const structured = { ok: false, code: "stale", message: "`a.txt` has changed", hint: "Read it again" };
  render(<ToolCard call={call("fs_edit", { path: "a.txt" }, { state: "failed", result: { isError: true, text: "", structured, code: "stale", durationMs: 1, replayed: false } })} />);
  fireEvent.click(screen.getByRole("button"));
  const shown = screen.getByTestId("tool-card").textContent;
  for (const part of ["stale", "`a.txt` has changed", "Read it again"]) expect(shown).toContain(part);
});

test("a command shows its live output without escape codes", () => {
  render(<ToolCard call={call("exec_run", { command: "t" }, { state: "running", result: null, endedAt: null, output: "\u001b[32mok\u001b[0m\n" })} />);
  fireEvent.click(screen.getByRole("button"));
  expect(screen.getByTestId("tool-output").textContent).toBe("ok\n");
});

test("arguments that are no JSON are shown as they were written", () => {
  render(<ToolCard call={call("fs_read", {}, { args: null, argsText: '{"path": ', state: "failed" })} />);
  fireEvent.click(screen.getByRole("button"));
  expect(screen.getByTestId("tool-card").textContent).toContain('{"path": ');
});

test("after an approval it shows the plan that was allowed", () => {
  const approval = { plan: editPlan, tier: editPlan.tier, group: null, askedAt: 0, answer: { decision: "allow", note: null, by: "user", at: 0 } } as const;
  render(<ToolCard call={call("fs_edit", { path: "src/sum.js" }, { approval })} />);
  fireEvent.click(screen.getByRole("button"));
  expect(screen.getByText("What was allowed")).toBeTruthy();
  expect(screen.getByTestId("tool-card").textContent).toContain("return a - b;");
});

test("what the person denied says so once: their note, and not what the model was told about it", () => {
  const approval = { plan: editPlan, tier: editPlan.tier, group: null, askedAt: 0, answer: { decision: "deny", note: "Use a shorter name", by: "user", at: 0 } } as const;
  const structured = { ok: false, code: "approval_denied", message: "the user denied this call: Use a shorter name", hint: "nothing was changed; do not repeat the call" };
  render(<ToolCard call={call("fs_edit", { path: "src/sum.js" }, { state: "denied", approval, result: { isError: true, text: "", structured, code: "approval_denied", durationMs: 1, replayed: false } })} />);
  fireEvent.click(screen.getByRole("button"));
  const shown = screen.getByTestId("tool-card").textContent;
  expect(shown.split("Use a shorter name")).toHaveLength(2);
  expect(shown).not.toContain("do not repeat the call");
});
