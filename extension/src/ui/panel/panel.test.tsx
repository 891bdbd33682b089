// @vitest-environment happy-dom
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { allScenes as scenes } from "../gallery/all-scenes.ts";
import { fakeClient, type SentIntent } from "../gallery/fake-client.ts";
import { editPlan } from "../gallery/plans.ts";
import { ASKED_MS } from "../chat/use-stop-key.ts";
import { forgetKept } from "../common/use-kept.ts";
import { Panel } from "./panel.tsx";

afterEach(() => {
  cleanup();
  forgetKept();
  vi.useRealTimers();
});

function open(name: string, refuses = false): SentIntent[] {
  const scene = scenes[name];
  if (!scene) throw new Error(`no scene ${name}`);
  const sent: SentIntent[] = [];
  location.hash = scene.place ?? "";
  render(<Panel client={fakeClient(scene, sent, refuses)} />);
  return sent;
}

// The huge one is for measuring in a browser; one that has nothing to show yet is in `frame.test.tsx`.
test.each(Object.keys(scenes).filter((name) => !name.startsWith("huge") && scenes[name]?.shut?.isFirst !== true))("the scene %s is drawn whole", (name) => {
  open(name);
  expect(screen.getByTestId("connection-status")).toBeTruthy();
  expect(document.querySelector("[data-arrival], [data-testid=composer-input]")).toBeTruthy();
  expect(screen.queryByText("This part could not be shown")).toBeNull();
});

test("the connection is never called good without a hello", () => {
  for (const name of ["not-installed", "stopped-trying", "connecting"]) {
    open(name);
    expect(screen.getByTestId("connection-status").dataset["state"]).not.toBe("connected");
    expect(screen.getByTestId("connection-status").getAttribute("aria-label")).not.toContain(": Connected");
    cleanup();
  }
});

test("Enter sends the task, Shift+Enter does not", async () => {
  const sent = open("first-run");
  const input = screen.getByTestId("composer-input");
  fireEvent.change(input, { target: { value: "Explain" } });
  fireEvent.keyDown(input, { key: "Enter", shiftKey: true });
  expect(sent).toEqual([]);
  await act(async () => fireEvent.keyDown(input, { key: "Enter" }));
  // The first one: the browser is asked to keep it.
  expect(sent).toEqual([{ name: "startSession", params: { text: "Explain", config: scenes["answer"]?.app.defaults } }, { name: "persistStorage", params: {} }]);
});

test("Escape stops what runs, and only that", () => {
  const running = open("streaming");
  fireEvent.keyDown(document.body, { key: "Escape" });
  expect(running).toEqual([{ name: "stop", params: { session: "01A" } }]);
  cleanup();
  const done = open("answer");
  fireEvent.keyDown(document.body, { key: "Escape" });
  expect(done).toEqual([]);
});

test("Escape that ends the writing of a word stops nothing", () => {
  const sent = open("streaming");
  fireEvent.keyDown(screen.getByTestId("composer-input"), { key: "Escape", isComposing: true });
  expect(sent).toEqual([]);
});

test("while something is at work or waits, Escape asks once more", () => {
  vi.useFakeTimers();
  const sent = open("approve-edit");
  const escape = () => act(() => void fireEvent.keyDown(screen.getByTestId("composer-input"), { key: "Escape" }));
  escape();
  expect(screen.getByTestId("receipt").textContent).toContain("once more");
  act(() => vi.advanceTimersByTime(ASKED_MS));
  escape();
  expect(sent).toEqual([]);
  escape();
  expect(sent).toEqual([{ name: "stop", params: { session: "01A" } }]);
});

test("in a card Escape goes back to this time only, then to the conversation, and stops nothing", async () => {
  const sent = open("approve-edit");
  fireEvent.click(screen.getByTestId("reach-lease").querySelector("input") as HTMLElement);
  expect(screen.getByTestId("lease-panel")).toBeTruthy();
  const box = screen.getByTestId("reach-once").querySelector("input") as HTMLElement;
  box.focus();
  fireEvent.keyDown(box, { key: "Escape" });
  expect(screen.queryByTestId("lease-panel")).toBeNull();
  fireEvent.keyDown(box, { key: "Escape" });
  expect(document.activeElement).toBe(screen.getByRole("log"));
  expect([sent, screen.queryByTestId("receipt")]).toEqual([[], null]);
});

test("an answer is bound to the plan on the screen", () => {
  vi.useFakeTimers();
  const sent = open("approve-edit");
  act(() => vi.advanceTimersByTime(300));
  fireEvent.click(screen.getByTestId("approval-allow"));
  expect(sent).toEqual([{ name: "answerApproval", params: { session: "01A", answers: [{ call: editPlan.id, plan: editPlan.id, digest: editPlan.digest, decision: "allow" }] } }]);
});

test("the bar says what waits out of sight, and goes to its card", async () => {
  open("approve-edit");
  expect((await screen.findByTestId("waiting-bar")).textContent).toContain(editPlan.summary);
  fireEvent.click(screen.getByText("Show"));
  expect(document.activeElement).toBe(screen.getByTestId("approval-card"));
});

test("a message that was taken leaves the box; one that was refused stays, and the reason is shown", async () => {
  const write = async () => {
    const input = screen.getByTestId<HTMLTextAreaElement>("composer-input");
    fireEvent.change(input, { target: { value: "And now?" } });
    await act(async () => fireEvent.click(screen.getByTestId("send")));
    return screen.getByTestId<HTMLTextAreaElement>("composer-input").value;
  };
  open("answer");
  expect(await write()).toBe("");
  cleanup();
  open("answer", true);
  expect(await write()).toBe("And now?");
  expect(screen.getByTestId("receipt").textContent).toContain("The engine would not.");
});

test("F6 goes round the regions, the card among them, and never to Allow", () => {
  open("approve-edit");
  const stops: (string | null | undefined)[] = [];
  for (let press = 0; press < 6; press += 1) {
    fireEvent.keyDown(document.body, { key: "F6" });
    stops.push(document.activeElement?.getAttribute("data-testid"));
  }
  expect(stops).toEqual(["session-search", "connection-status", "tab-chat", "transcript", "approval-card", "composer-input"]);
});
