// @vitest-environment happy-dom
// The page after the install: the panel at a press, and the way to find it again, as each browser has it.
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import type { PanelPlace } from "../../app/toolbar.ts";
import { Welcome } from "./welcome.tsx";

afterEach(cleanup);

test("a press opens the panel, and the page says where it is", async () => {
  const openPanel = vi.fn(() => Promise.resolve());
  render(<Welcome isFirefox={false} openPanel={openPanel} follow={() => () => {}} />);
  expect(document.title).toBe("Outrigger is installed");
  expect(screen.getByTestId("welcome-state").textContent).toContain("leads you");
  await act(async () => fireEvent.click(screen.getByTestId("welcome-open")));
  expect(openPanel).toHaveBeenCalledTimes(1);
  expect(screen.getByTestId("welcome-state").textContent).toContain("close this tab");
});

test("what was pinned is done, and undone when it is taken away again", () => {
  let tell: (place: PanelPlace) => void = () => {};
  const stop = vi.fn();
  const { unmount } = render(<Welcome isFirefox openPanel={() => Promise.resolve()} follow={(told) => ((tell = told), stop)} />);
  const done = () => screen.getAllByRole("listitem").map((step) => step.dataset["done"]);
  expect(done()).toEqual(["false", "false", "false"]);
  act(() => tell({ isPinned: true, isOpen: true }));
  expect(done()).toEqual(["false", "true", "false"]);
  expect(screen.getByTestId("welcome-state").textContent).toContain("close this tab");
  act(() => tell({ isPinned: false, isOpen: false }));
  expect(done()).toEqual(["false", "false", "false"]);
  unmount();
  expect(stop).toHaveBeenCalledTimes(1);
});
