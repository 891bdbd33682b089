// @vitest-environment happy-dom
// What has the focus may go away under a person's hands; the focus stays near.
import { act, cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { useKeptFocus } from "./use-kept-focus.ts";

afterEach(cleanup);

const ROWS = ["one", "two", "three"];

function Rows({ rows = ROWS, flat = false }: { rows?: readonly string[]; flat?: boolean }) {
  useKeptFocus();
  return (
    <main>
      <textarea data-testid="composer-input" />
      <section>
        <ul>{rows.map((row) => <li key={row}><button type="button" data-testid={row.split(" ")[0]}>{row}</button></li>)}</ul>
        <button type="button" data-by-hand data-testid="allow">allow</button>
        <button type="button" data-testid="save" disabled={flat}>save</button>
      </section>
    </main>
  );
}

function Keeper() {
  useKeptFocus();
  return null;
}

const focused = () => (document.activeElement as HTMLElement | null)?.dataset["testid"] ?? document.activeElement?.tagName;
const settle = () => act(async () => new Promise((resolve) => setTimeout(resolve, 120)));
const start = (testId: string) => {
  const { rerender } = render(<Rows />);
  act(() => screen.getByTestId(testId).focus());
  return { set: (rows: readonly string[]) => rerender(<Rows rows={rows} />), flatten: (flat: boolean) => rerender(<Rows flat={flat} />) };
};

/** As a browser does it: what is gone or flat has not the focus. */
const drop = () => act(() => (document.activeElement as HTMLElement | null)?.blur());

test("where a row goes, the next one has the focus, else the one before", async () => {
  const { set } = start("two");
  set(["one", "three"]);
  await settle();
  expect(focused()).toBe("three");
  set(["one"]);
  await settle();
  expect(focused()).toBe("one");
  set([]);
  await settle();
  expect(focused()).toBe("save");
});

test("what is drawn anew has the focus again, whatever came with it", async () => {
  const { set } = start("two");
  set(["zero", "two again", "three"]);
  await settle();
  expect(focused()).toBe("two");
});

test("what comes in its place has the focus", async () => {
  const { set } = start("two");
  set(["one", "zwei", "three"]);
  await settle();
  expect(focused()).toBe("zwei");
});

test("what can take nothing for a moment has the focus again afterwards", async () => {
  const { flatten } = start("save");
  drop();
  flatten(true);
  await settle();
  expect(focused()).toBe("BODY");
  flatten(false);
  await settle();
  expect(focused()).toBe("save");
});

test("where another part comes in its place, the focus is at its beginning, and the next stop is its first", async () => {
  const parts = (isBegun: boolean) => <main><Keeper />{isBegun ? <section><h2 data-landing tabIndex={-1} data-testid="greeting">Hello</h2><button type="button">one</button></section> : <div><button type="button" data-testid="pick">pick</button></div>}</main>;
  const { rerender } = render(parts(false));
  act(() => screen.getByTestId("pick").focus());
  rerender(parts(true));
  await settle();
  expect(focused()).toBe("greeting");
});

test("what was left stays left", async () => {
  const { set } = start("two");
  drop();
  await settle();
  set(["one"]);
  await settle();
  expect(focused()).toBe("BODY");
});
