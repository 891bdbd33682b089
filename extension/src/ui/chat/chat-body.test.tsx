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

test("where the model's settings mend it, the way there stands under what went wrong", async () => {
  const scene = scenes["failed"];
  const [turn] = scene?.session?.turns ?? [];
  if (!scene?.session || !turn) throw new Error("no turn");
  const model = { ...scene.app.models[0], id: "m1", kind: "openai_compatible", label: "Team server" } as (typeof scene.app.models)[number];
  const show = (of: string) => render(<Panel client={fakeClient({ ...scene, session: { ...scene.session, turns: [{ ...turn, model: of }] } as typeof scene.session, app: { ...scene.app, models: [...scene.app.models, model] } })} />);
  await act(async () => show("demo"));
  expect(screen.queryByTestId("fault-settings"), "the built-in one has none").toBeNull();
  cleanup();
  await act(async () => show("m1"));
  await act(async () => fireEvent.click(screen.getByTestId("fault-settings")));
  expect(location.hash).toContain("part=models%2Fm1");
});
