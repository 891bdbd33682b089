// @vitest-environment happy-dom
// Rows 48, 49: while a turn runs, what is written waits or steers; nothing is lost on the way.
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import type { AttachmentDraft } from "../../app/views.ts";
import type { Attachments } from "../attach/use-attachments.ts";
import { Composer } from "./composer.tsx";

afterEach(cleanup);

let nextSession = 0;
function show(status: "running" | "complete", takes = true) {
  const said: unknown[] = [];
  const session = `s${(nextSession += 1)}`;
  const draw = () => render(
    <Composer session={session} status={status} stopping={false} blocked={null} onSend={(text) => Promise.resolve(said.push(text) > 0 && takes)} onQueue={(text, kind) => Promise.resolve(said.push([text, kind]) > 0 && takes)} onStop={() => said.push("stop")}>
      <i />
    </Composer>,
  );
  draw();
  return { said, draw };
}
const NO_ATTACHMENTS: Attachments = { list: [], add: () => Promise.resolve(true), addFiles: () => Promise.resolve(), remove() {}, sent() {} };
const input = () => screen.getByTestId<HTMLTextAreaElement>("composer-input");
const write = (value: string) => fireEvent.change(input(), { target: { value } });

test("while a turn runs Enter queues, and with Ctrl or Cmd it steers", async () => {
  const { said } = show("running");
  for (const [text, keys] of [["later", {}], ["now", { ctrlKey: true }], ["also now", { metaKey: true }]] as const) {
    write(text);
    await act(async () => fireEvent.keyDown(input(), { key: "Enter", ...keys }));
    expect(input().value).toBe("");
  }
  expect(said).toEqual([["later", "queue"], ["now", "steer"], ["also now", "steer"]]);
});

test("the same by mouse, with Stop beside it", async () => {
  const { said } = show("running");
  expect(screen.queryByTestId("queue-add")).toBeNull();
  for (const button of ["queue-add", "steer-add"]) {
    write(button);
    await act(async () => fireEvent.click(screen.getByTestId(button)));
  }
  fireEvent.click(screen.getByTestId("stop"));
  expect(said).toEqual([["queue-add", "queue"], ["steer-add", "steer"], "stop"]);
});

test("where nothing runs there is no queue: Ctrl+Enter sends like Enter", async () => {
  const { said } = show("complete");
  write("hello");
  await act(async () => fireEvent.keyDown(input(), { key: "Enter", ctrlKey: true }));
  expect(said).toEqual(["hello"]);
});

test("Enter that ends a word of an input method sends nothing", () => {
  const { said } = show("running");
  write("你好");
  fireEvent.keyDown(input(), { key: "Enter", isComposing: true });
  expect(said).toEqual([]);
});

test("what is written while a message is on its way stays", async () => {
  const { said } = show("running");
  write("first");
  fireEvent.keyDown(input(), { key: "Enter" });
  write("first and then");
  await act(async () => {});
  expect(said).toEqual([["first", "queue"]]);
  expect(input().value).toBe("and then");
});

test("what is changed in its middle while it is on its way is not lost", async () => {
  show("running");
  write("fix the test");
  fireEvent.keyDown(input(), { key: "Enter" });
  write("fix both tests");
  await act(async () => {});
  expect(input().value).toBe("fix both tests");
});

test("what was not taken stays, and what was not sent is there again", async () => {
  const { draw } = show("running", false);
  write("keep me");
  await act(async () => fireEvent.keyDown(input(), { key: "Enter" }));
  expect(input().value).toBe("keep me");
  cleanup();
  draw();
  expect(input().value).toBe("keep me");
});

test("the first message begins a session and another composer stands there: whoever was writing goes on writing", async () => {
  const composer = (session: string | null) => (
    <Composer key={session} session={session} status="idle" stopping={false} blocked={null} onSend={() => Promise.resolve(true)} onQueue={() => Promise.resolve(true)} onStop={() => {}}>
      <i />
    </Composer>
  );
  const { rerender } = render(composer(null));
  const first = input();
  first.focus();
  rerender(composer("begun"));
  expect(input()).not.toBe(first);
  expect(document.activeElement).toBe(input());
  input().blur();
  rerender(composer("another"));
  expect(document.activeElement).toBe(document.body);
});

test("a paste that no box can show goes beside the message; a shorter one into it", () => {
  const added: AttachmentDraft[] = [];
  const attachments = { ...NO_ATTACHMENTS, add: (draft: AttachmentDraft) => Promise.resolve(added.push(draft) > 0) };
  render(
    <Composer session="s-paste" status="complete" stopping={false} blocked={null} onSend={() => Promise.resolve(true)} onQueue={() => Promise.resolve(true)} onStop={() => {}} attachments={attachments}>
      <i />
    </Composer>,
  );
  const paste = (words: string) => fireEvent.paste(input(), { clipboardData: { files: [], getData: () => words } });
  // True: the browser puts it into the box.
  expect(paste("x".repeat(19_999))).toBe(true);
  expect(added).toEqual([]);
  expect(paste("y".repeat(20_000))).toBe(false);
  expect(added).toEqual([{ kind: "file", name: "Pasted text", mediaType: "text/plain", source: null, text: "y".repeat(20_000) }]);
});
