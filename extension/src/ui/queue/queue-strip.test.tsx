// @vitest-environment happy-dom
// Rows 48, 50: what waits to be said can be changed in every way until it is said.
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { scenes } from "../gallery/scenes.ts";
import { QueueStrip } from "./queue-strip.tsx";

afterEach(cleanup);

function show(isIdle = false) {
  const done: unknown[] = [];
  const queue = scenes["queue"]?.session?.queue ?? [];
  render(
    <QueueStrip
      queue={queue}
      isIdle={isIdle}
      acts={{
        edit: (item, change) => Promise.resolve(done.push(["edit", item, change]) > 0),
        move: (item, before) => done.push(["move", item, before]),
        remove: (item) => done.push(["remove", item]),
        rescue: (words) => done.push(["rescue", words]),
        send: () => done.push(["send"]),
      }}
    />,
  );
  return done;
}
const rows = () => screen.getAllByTestId("queue-item");
const inRow = (row: number, name: string) => rows()[row]?.querySelector<HTMLElement>(`[data-testid=${name}]`) as HTMLElement;

test("each says when it will be said, and becomes the other kind by a click", () => {
  const done = show();
  expect(rows().map((row) => row.dataset["kind"])).toEqual(["steer", "queue", "queue"]);
  fireEvent.click(inRow(0, "queue-kind"));
  fireEvent.click(inRow(1, "queue-kind"));
  expect(done).toEqual([["edit", "q1", { kind: "queue" }], ["edit", "q2", { kind: "steer" }]]);
});

test("moved by keys: before the one above, behind the one below", () => {
  const done = show();
  fireEvent.keyDown(inRow(1, "queue-text"), { key: "ArrowUp", altKey: true });
  fireEvent.keyDown(inRow(0, "queue-text"), { key: "ArrowDown", altKey: true });
  fireEvent.keyDown(inRow(1, "queue-text"), { key: "ArrowDown", altKey: true });
  fireEvent.keyDown(inRow(0, "queue-text"), { key: "ArrowUp", altKey: true });
  expect(done).toEqual([["move", "q2", "q1"], ["move", "q1", "q3"], ["move", "q2", null]]);
});

test("said while it is being changed: the new words are not lost", async () => {
  const done = show();
  fireEvent.click(inRow(2, "queue-text"));
  cleanup();
  expect(done).toEqual([]);
  show();
  fireEvent.click(inRow(2, "queue-text"));
  fireEvent.change(screen.getByTestId("queue-edit"), { target: { value: "Commit it with a note" } });
  fireEvent.keyDown(screen.getByTestId("queue-edit"), { key: "Escape" });
  cleanup();
  const lost = show();
  fireEvent.click(inRow(2, "queue-text"));
  fireEvent.change(screen.getByTestId("queue-edit"), { target: { value: "Commit it with a note" } });
  cleanup();
  expect(lost).toEqual([["rescue", "Commit it with a note"]]);
});

test("edited in place: Enter keeps, Escape does not, nothing is not kept", async () => {
  const done = show();
  fireEvent.click(inRow(2, "queue-text"));
  const field = screen.getByTestId("queue-edit");
  fireEvent.change(field, { target: { value: " " } });
  fireEvent.keyDown(field, { key: "Enter" });
  fireEvent.change(field, { target: { value: "Commit it with a note" } });
  await act(async () => fireEvent.keyDown(field, { key: "Enter" }));
  expect(done).toEqual([["edit", "q3", { text: "Commit it with a note" }]]);
  fireEvent.click(inRow(2, "queue-text"));
  fireEvent.keyDown(screen.getByTestId("queue-edit"), { key: "Escape" });
  expect(screen.queryByTestId("queue-edit")).toBeNull();
  expect(done).toHaveLength(1);
});

test("removed by its button or by Delete", () => {
  const done = show();
  fireEvent.click(inRow(0, "queue-remove"));
  fireEvent.keyDown(inRow(1, "queue-text"), { key: "Delete" });
  expect(done).toEqual([["remove", "q1"], ["remove", "q2"]]);
});

test("where nothing runs, what waits is said when the person says so", () => {
  expect(screen.queryByTestId("queue-send")).toBeNull();
  const done = show(true);
  fireEvent.click(screen.getByTestId("queue-send"));
  expect(done).toEqual([["send"]]);
});
