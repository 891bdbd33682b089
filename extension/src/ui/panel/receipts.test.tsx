// @vitest-environment happy-dom
// What went wrong stays until it was read; what went well leaves by itself, but not from under a hand; over a sheet both stand in it.
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { useEffect } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { RECEIPT_MS } from "../common/receipt.tsx";
import { Sheet } from "../common/sheet.tsx";
import type { Cause } from "./causes-of.ts";
import { ReceiptContext, ReceiptPlace } from "./receipt-place.tsx";
import { type ReceiptState, type SaidReceipt, useReceipts } from "./receipt-state.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

let show: (receipt: SaidReceipt) => void = () => {};
let over: (causes: readonly Cause[]) => void = () => {};
function Place({ sheet }: { sheet: boolean }) {
  const receipts = useReceipts();
  useEffect(() => {
    ({ show, over } = receipts);
  }, [receipts]);
  return (
    <ReceiptContext value={receipts}>
      <main><ReceiptPlace /></main>
      {sheet && <Sheet testId="sheet" title="t" onClose={() => {}}>body</Sheet>}
    </ReceiptContext>
  );
}
const start = (sheet = false) => act(async () => render(<Place sheet={sheet} />));
const say = (message: string, tone: ReceiptState["tone"] = "good", more: Partial<ReceiptState> = {}) => act(async () => show({ message, tone, ...more }));
const shown = () => screen.queryAllByTestId("receipt").map((receipt) => receipt.textContent);
const wait = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

test("an error stays beside what comes after it, once, until it is shut", async () => {
  await start();
  await say("It failed.", "bad", { detail: "Do this." });
  await say("It failed.", "bad", { detail: "Do this." });
  await say("Saved");
  await say("Saved again");
  expect(shown()).toEqual(["It failed.Do this.", "Saved again"]);
  await wait(10 * RECEIPT_MS);
  expect(shown()).toEqual(["It failed.Do this."]);
  await act(async () => fireEvent.click(screen.getByTestId("receipt-close")));
  expect(shown()).toEqual([]);
});

test("an error leaves as soon as what it says is over, and not before", async () => {
  await start();
  await say("No room.", "bad", { causes: ["act sendMessage []", "disk"] });
  await say("It failed.", "bad");
  await act(async () => over(["host", "act stop []"]));
  expect(shown()).toEqual(["No room.", "It failed."]);
  await act(async () => over(["disk"]));
  expect(shown()).toEqual(["It failed."]);
});

test("over a sheet the focus is at its heading: no key shuts, sends or destroys anything by itself", async () => {
  await start(true);
  await wait(50);
  expect(document.activeElement?.tagName).toBe("H2");
});

test("a hand that comes to it holds it, and lets it go; a pointer that rests where it appears does not", async () => {
  await start();
  const moves = (movementX: number) => act(async () => fireEvent(screen.getByTestId("receipt"), new PointerEvent("pointermove", { bubbles: true, movementX })));
  await say("Saved");
  await moves(0);
  await wait(RECEIPT_MS);
  expect(shown()).toEqual([]);
  await say("Saved");
  await moves(3);
  await wait(10 * RECEIPT_MS);
  expect(shown()).toEqual(["Saved"]);
  await act(async () => fireEvent.pointerLeave(screen.getByTestId("receipt").parentElement as HTMLElement));
  await wait(RECEIPT_MS);
  expect(shown()).toEqual([]);
});

test("under the pointer or with the focus its time stands still", async () => {
  await start();
  let gone = 0;
  await say("Deleted", "good", { undo: () => {}, onGone: () => (gone += 1) });
  const undo = screen.getByTestId("receipt").querySelector("button") as HTMLElement;
  await act(async () => undo.focus());
  await wait(10 * RECEIPT_MS);
  expect([shown().length, gone]).toEqual([1, 0]);
  // A pointer that passes over it and leaves takes nothing from who is on it with the keyboard.
  const receipt = screen.getByTestId("receipt");
  await act(async () => fireEvent(receipt, new PointerEvent("pointermove", { bubbles: true, movementX: 3 })));
  await act(async () => fireEvent.pointerLeave(receipt.parentElement as HTMLElement));
  await wait(10 * RECEIPT_MS);
  expect([shown().length, gone]).toEqual([1, 0]);
  await act(async () => undo.blur());
  await wait(RECEIPT_MS);
  expect([shown().length, gone]).toEqual([0, 1]);
});

test("what can be undone keeps its place beside what is said after it, as long as it would have", async () => {
  await start();
  const done: string[] = [];
  const undoable = (name: string) => say("Deleted", "good", { undo: () => done.push(`${name} back`), onGone: () => done.push(`${name} gone`) });
  await undoable("first");
  await wait(RECEIPT_MS / 2);
  await undoable("second");
  await say("Saved");
  await say("Saved again");
  expect(shown()).toEqual(["DeletedUndo", "DeletedUndo", "Saved again"]);
  await wait(RECEIPT_MS / 2);
  expect([shown(), done]).toEqual([["DeletedUndo", "Saved again"], ["first gone"]]);
  await act(async () => screen.getByText("Undo").click());
  expect([shown(), done]).toEqual([["Saved again"], ["first gone", "second back"]]);
  // Of the same thing only the last act is undone.
  await say("Taken back", "good", { about: "turns", undo: () => {} });
  await say("Put there again", "good", { about: "turns" });
  expect(shown()).toEqual(["Put there again"]);
});

test("three at most: what went wrong gives way last", async () => {
  await start();
  await say("It failed.", "bad");
  for (const name of ["a", "b", "c"]) await say(`Deleted ${name}`, "good", { undo: () => {} });
  expect(shown()).toEqual(["It failed.", "Deleted bUndo", "Deleted cUndo"]);
});

test("where the screen changes, it stands there for the rest of its time", async () => {
  function Moving({ place }: { place: string }) {
    const receipts = useReceipts();
    useEffect(() => {
      ({ show } = receipts);
    }, [receipts]);
    return <ReceiptContext value={receipts}><main key={place}><ReceiptPlace /></main></ReceiptContext>;
  }
  const { rerender } = render(<Moving place="chat" />);
  await act(async () => {});
  await say("Saved");
  await wait(RECEIPT_MS - 1000);
  await act(async () => rerender(<Moving place="settings" />));
  expect(shown()).toEqual(["Saved"]);
  await wait(1000);
  expect(shown()).toEqual([]);
});

test("while a sheet is open they stand in it", async () => {
  await start(true);
  await say("It failed.", "bad");
  expect(screen.getAllByTestId("receipt")).toHaveLength(1);
  expect(screen.getByTestId("sheet").contains(screen.getByTestId("receipt"))).toBe(true);
});
