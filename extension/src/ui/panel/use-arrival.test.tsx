// @vitest-environment happy-dom
// Whoever goes back finds the focus where it was left, also one step below the chat, and in a list where each row has the same name.
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { allScenes } from "../gallery/all-scenes.ts";
import { fakeClient, type Scene } from "../gallery/fake-client.ts";
import { Panel } from "./panel.tsx";

afterEach(cleanup);

async function open(name: string): Promise<void> {
  const scene = allScenes[name] as Scene;
  location.hash = scene.place ?? "";
  await act(async () => render(<Panel client={fakeClient(scene)} />));
}

const at = () => (document.activeElement as HTMLElement | null)?.dataset["testid"];
const press = async (control: HTMLElement) => {
  control.focus();
  await act(async () => fireEvent.keyDown(control, { key: "Enter" }));
  await act(async () => fireEvent.click(control));
};
const key = (name: string, code: string) => act(async () => fireEvent.keyDown(document.activeElement ?? document.body, { key: name, code, altKey: true }));

test("from a section back to its row in the settings, however one goes, and from there to where the chat was left", async () => {
  await open("answer");
  screen.getByTestId("model-select").focus();
  await key(",", "Comma");
  expect(at()).toBe("settings");
  for (const name of ["section-limits", "section-look"]) {
    await press(screen.getByTestId(name));
    expect(at()).toBe(name.replace("section", "settings"));
    if (name === "section-limits") await press(screen.getByTestId("back"));
    else await act(async () => fireEvent.keyDown(document.activeElement ?? document.body, { key: "Escape" }));
    expect(at()).toBe(name);
  }
  await act(async () => fireEvent.keyDown(document.activeElement ?? document.body, { key: "Escape" }));
  expect(at()).toBe("model-select");
});

test("a row among others of its name is found again; a screen that one comes to anew begins at its beginning", async () => {
  await open("settings-profiles");
  const rows = await screen.findAllByTestId("profile-edit");
  const second = rows[1];
  if (second === undefined) throw new Error("no second profile");
  await press(second);
  expect(at()).toBe("settings-profiles");
  await press(screen.getByTestId("back"));
  await act(async () => {});
  expect(document.activeElement).toBe(screen.getAllByTestId("profile-edit")[1]);
  await key("h", "KeyH");
  expect(at()).toBe("history");
  await key(",", "Comma");
  expect(at()).toBe("settings");
});

test("who opens another session, or what was found in one, is not where the one before was left", async () => {
  await open("found");
  screen.getByTestId("model-select").focus();
  await key("h", "KeyH");
  const [other] = screen.getAllByTestId("session-row").filter(({ dataset }) => dataset["session"] !== "01A");
  await press(other?.querySelector("button") as HTMLElement);
  expect(at()).toBe("composer-input");
  screen.getByTestId("model-select").focus();
  await key("h", "KeyH");
  await act(async () => {
    location.hash = "#session=01A&part=Now%20explain%20what%20was%20wrong";
    dispatchEvent(new HashChangeEvent("hashchange"));
  });
  expect(at()).toBe("transcript");
});
