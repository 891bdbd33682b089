// @vitest-environment happy-dom
// A turn among others: what it folds once it is over, and what a broken one leaves standing.
import { act, cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { app, connected } from "../gallery/basics.ts";
import { fakeClient, type Scene } from "../gallery/fake-client.ts";
import { call, session, step, turn } from "../gallery/parts.ts";
import { Panel } from "../panel/panel.tsx";
import type { TurnView } from "../../agent/session-view.ts";

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const first = turn("Why does it fail?", [step({ text: "I look first.", calls: [call("fs_read", { path: "src/sum.js" })] }), step({ text: "Then I run it." }), step({ text: "A default is missing." })]);
const second = turn("Mend it", [step({ text: "I write." }), step({ text: "It is mended." })]);

async function draw(turns: TurnView[]): Promise<void> {
  const scene: Scene = { connection: connected, app, session: session("Mend sum", turns) };
  location.hash = "";
  await act(async () => render(<Panel client={fakeClient(scene)} />));
}

test("Row 69: a turn that is over keeps its answer and folds its steps to one line below what was asked; the last one stays open", async () => {
  await draw([first, second]);
  const [past, last] = screen.getAllByTestId("turn");
  const old = within(past as HTMLElement);
  expect(old.getByText("A default is missing.")).toBeTruthy();
  expect(old.queryByText("I look first.")).toBeNull();
  const line = old.getByRole("button", { expanded: false, name: /\d+ steps/u });
  await act(async () => fireEvent.click(line));
  expect(old.getByText("I look first.")).toBeTruthy();
  expect(old.getByText("Then I run it.")).toBeTruthy();
  expect(line.getAttribute("aria-expanded")).toBe("true");
  expect(within(last as HTMLElement).getByText("I write.")).toBeTruthy();
});

test("Row 76: a turn that cannot be drawn is named, alone, and tried again when a person says so", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  const broken: TurnView = { ...first };
  let isBroken = true;
  Object.defineProperty(broken, "notices", {
    get: () => {
      if (isBroken) throw new Error("no notices");
      return first.notices;
    },
  });
  await draw([broken, second]);
  expect(screen.getByText("This part could not be shown")).toBeTruthy();
  expect(screen.getByText("It is mended.")).toBeTruthy();
  expect(screen.getByTestId("composer-input")).toBeTruthy();
  isBroken = false;
  await act(async () => fireEvent.click(screen.getByRole("button", { name: "Try again" })));
  expect(screen.queryByText("This part could not be shown")).toBeNull();
  expect(screen.getByText("A default is missing.")).toBeTruthy();
});
