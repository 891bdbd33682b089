// @vitest-environment happy-dom
// What fills the conversation where no turn is yet: what it was copied from, or that it is gone.
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { fakeClient } from "../gallery/fake-client.ts";
import { scenes } from "../gallery/scenes.ts";
import { Panel } from "../panel/panel.tsx";

afterEach(() => {
  cleanup();
  location.hash = "";
});

async function open(name: string) {
  const scene = scenes[name];
  if (!scene) throw new Error(`no scene ${name}`);
  location.hash = scene.place ?? "";
  await act(async () => render(<Panel client={fakeClient(scene)} />));
}

test("a copy begins with what was said before, and with the way to where it was said", async () => {
  await open("copied");
  expect(screen.getByTestId("seed-note").textContent).toContain("It adds now.");
  expect(screen.queryAllByTestId("suggestion")).toEqual([]);
  await act(async () => fireEvent.click(screen.getByTestId("seed-origin")));
  expect(location.hash).toBe("#session=01C");
});

test("a session that is not there says so, takes no message, and leads to a new one", async () => {
  await open("gone");
  expect(screen.getByTestId("gone-session")).toBeTruthy();
  expect(screen.getByTestId<HTMLTextAreaElement>("composer-input").placeholder).toContain("not there any more");
  await act(async () => fireEvent.click(screen.getByTestId("gone-new")));
  expect(screen.queryByTestId("gone-session")).toBeNull();
  expect(screen.getAllByTestId("suggestion").length).toBeGreaterThan(0);
});
