// @vitest-environment happy-dom
// Rows 22, 30, 31: what a sub-agent asks is answered where it was begun; questions stay readable; schedules are kept in hand.
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { ARM_MS } from "../approvals/use-armed.ts";
import { fakeClient, type SentIntent } from "../gallery/fake-client.ts";
import { scenes } from "../gallery/scenes.ts";
import { Panel } from "../panel/panel.tsx";

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

async function open(name: string) {
  const scene = scenes[name];
  if (!scene) throw new Error(`no scene ${name}`);
  const sent: SentIntent[] = [];
  await act(async () => render(<Panel client={fakeClient(scene, sent)} />));
  return sent;
}

test("the card of a sub-agent is answered here, and the answer goes to it", async () => {
  vi.useFakeTimers();
  const sent = await open("agent-asks");
  await act(() => vi.advanceTimersByTimeAsync(ARM_MS));
  expect(screen.getByTestId("waiting-bar").textContent).toContain("sub-agent");
  await act(async () => fireEvent.click(screen.getByTestId("approval-allow")));
  expect(sent).toMatchObject([{ name: "answerApproval", params: { session: "child" } }]);
});

test("one that reached its cap says so, and goes on from here", async () => {
  const sent = await open("agent-paused");
  // Nothing has a size here: whatever waits is out of sight.
  expect((await screen.findByTestId("waiting-bar")).textContent).toContain("sub-agent");
  expect(screen.getByTestId("waiting-bar").textContent).toContain("25 steps");
  await act(async () => fireEvent.click(screen.getByTestId("continue")));
  expect(sent).toEqual([{ name: "resume", params: { session: "child" } }]);
});

test("what is not kept here is not waited for", async () => {
  await open("agent-lost");
  await act(async () => fireEvent.click(screen.getByText("What it did")));
  expect(screen.getByTestId("agent-gone")).toBeTruthy();
});

test("what it does stands in a line, and all of it when someone wants to know", async () => {
  await open("agent-works");
  expect(screen.getByTestId("agent-state").textContent).toContain("fs_read src/tax.js");
  expect(screen.queryByTestId("agent-steps")).toBeNull();
  cleanup();
  await open("agent-done");
  await act(async () => fireEvent.click(screen.getByText("What it did")));
  expect(screen.getByTestId("agent-steps").textContent).toContain("search_grep");
});

test("a question lives, then stays readable with its answer, locked", async () => {
  await open("question-active");
  expect(screen.getByTestId("question-card")).toBeTruthy();
  cleanup();
  await open("question-over");
  expect(screen.queryByTestId("question-card")).toBeNull();
  const [answered, cancelled] = screen.getAllByTestId("question-answered");
  expect(answered?.textContent).toContain("Vitest");
  expect(answered?.textContent).toContain("We use it elsewhere.");
  expect(answered?.querySelector("input, textarea, button")).toBeNull();
  expect(cancelled?.dataset["status"]).toBe("cancelled");
});

test("a schedule of the agent is paused and removed where it was made", async () => {
  const sent = await open("schedule-made");
  expect(screen.getByTestId("schedule-card").textContent).toContain("Every hour");
  await act(async () => fireEvent.click(screen.getByTestId("schedule-enabled")));
  await act(async () => fireEvent.click(screen.getByTestId("schedule-remove")));
  expect(sent.filter(({ name }) => name !== "listSchedules")).toEqual([
    { name: "enableSchedule", params: { schedule: "schedule-call", enabled: false } },
    { name: "removeSchedule", params: { schedule: "schedule-call" } },
  ]);
});

test("profile and thinking are chosen in one menu", async () => {
  const sent = await open("two-turns");
  await act(async () => fireEvent.click(screen.getByTestId("profile-select")));
  await act(async () => fireEvent.click(screen.getAllByTestId("profile-option").find((option) => option.dataset["value"] === "review") as HTMLElement));
  await act(async () => fireEvent.click(screen.getByTestId("profile-select")));
  await act(async () => fireEvent.click(screen.getAllByTestId("thinking-option").find((option) => option.dataset["value"] === "high") as HTMLElement));
  await act(async () => fireEvent.click(screen.getByTestId("profile-select")));
  await act(async () => fireEvent.click(screen.getByRole("menuitemradio", { name: "As the model does" })));
  expect(sent.filter(({ name }) => name.startsWith("select"))).toEqual([
    { name: "selectProfile", params: { session: "01A", profile: "review" } },
    { name: "selectThinking", params: { session: "01A", thinking: "high" } },
    { name: "selectThinking", params: { session: "01A", thinking: null } },
  ]);
});

test("everything begun from here is listed; a side thread opens beside the conversation", async () => {
  await open("children");
  const input = screen.getByTestId("composer-input");
  await act(async () => fireEvent.change(input, { target: { value: "/agents" } }));
  await act(async () => fireEvent.keyDown(input, { key: "Enter" }));
  expect(screen.getAllByTestId("child").map((child) => child.dataset["kind"])).toEqual(["subagent", "side", "schedule", "fork"]);
  await act(async () => fireEvent.click(screen.getAllByTestId("child")[1] as HTMLElement));
  expect(screen.getByTestId("side-sheet")).toBeTruthy();
});
