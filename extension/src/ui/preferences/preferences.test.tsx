// @vitest-environment happy-dom
// Row 44: the language is a choice, and holds everywhere at once.
import { act, cleanup, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { eventually } from "../../testing/eventually.ts";
import { useText } from "../text/use-text.ts";
import { preferences, setPreferences } from "./preferences.ts";
import { Preferred } from "./preferred.tsx";

beforeEach(() => setPreferences({ language: "auto", theme: "auto" }));
afterEach(cleanup);

function Word() {
  return <p data-testid="word">{useText().common.copy}</p>;
}

test("the language that was set is spoken as soon as it has come, and the document says which it is", async () => {
  render(<Preferred><Word /></Preferred>);
  act(() => setPreferences({ language: "de", theme: "dark" }));
  await eventually(() => expect(screen.getByTestId("word").textContent).toBe("Kopieren"));
  expect([document.documentElement.lang, document.documentElement.dir, document.documentElement.dataset["theme"]]).toEqual(["de", "ltr", "dark"]);
  act(() => setPreferences({ language: "zh", theme: "auto" }));
  await eventually(() => expect([document.documentElement.lang, document.documentElement.dataset["theme"]]).toEqual(["zh-Hans", undefined]));
  // Once there, it is spoken at once.
  act(() => setPreferences({ language: "de", theme: "auto" }));
  expect(screen.getByTestId("word").textContent).toBe("Kopieren");
});

test("another page's change is followed; what cannot be read is as if nothing was set", () => {
  render(<Preferred><Word /></Preferred>);
  const told = (value: string) => act(() => {
    localStorage.setItem("outrigger.preferences", value);
    dispatchEvent(new StorageEvent("storage", { key: "outrigger.preferences" }));
  });
  told('{"language":"de","theme":"light"}');
  expect(preferences.get()).toEqual({ language: "de", theme: "light" });
  for (const broken of ["{", "[]", "null", '{"language":"xx","theme":7}']) {
    told(broken);
    expect(preferences.get()).toEqual({ language: "auto", theme: "auto" });
  }
});
