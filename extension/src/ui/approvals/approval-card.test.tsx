// @vitest-environment happy-dom
// Row 21, ancestor faults 8, 21: a card is answered in its place, by keyboard as by mouse, and shows all of what it asks for.
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { asking } from "../gallery/parts.ts";
import { commandPlan, commitPlan, editPlan, hostilePlan, lineEndsPlan, longPlan, secondEditPlan } from "../gallery/plans.ts";
import type { Plan } from "../../wire/plan.ts";
import { DOUBLE_CLICK_MS } from "../common/use-sure.ts";
import { forgetKept } from "../common/use-kept.ts";
import type { CardAnswer } from "./approval-answer.ts";
import { ApprovalCard, type WaitingCall } from "./approval-card.tsx";
import { lineEndWords } from "../diff/line-end-words.ts";
import { modeWords } from "./mode-words.ts";
import { LANGUAGES } from "../text/all-languages.ts";
import { TextContext } from "../text/use-text.ts";
import { ARM_MS } from "./use-armed.ts";
import { SENT_MS } from "./use-sent.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  cleanup();
  forgetKept();
  vi.useRealTimers();
});

function show(...plans: Plan[]) {
  const answers: CardAnswer[] = [];
  const calls = plans.map((plan) => asking(plan, plans.length > 1 ? "g" : null) as WaitingCall);
  render(<ApprovalCard calls={calls} onAnswer={(answer) => Promise.resolve(answers.push(answer) > 0)} />);
  return answers;
}
const arm = () => act(() => vi.advanceTimersByTime(ARM_MS));
const button = (name: string) => screen.getByTestId<HTMLButtonElement>(`approval-${name}`);
const card = () => screen.getByTestId("approval-card");

test("no click and no key counts in the first 300 ms", () => {
  const answers = show(editPlan);
  act(() => vi.advanceTimersByTime(ARM_MS - 1));
  fireEvent.click(button("allow"));
  fireEvent.click(button("deny"));
  for (const key of ["a", "d", "n"]) fireEvent.keyDown(card(), { key });
  expect(answers).toEqual([]);
  expect(screen.queryByTestId("approval-note")).toBeNull();
  act(() => vi.advanceTimersByTime(1));
  fireEvent.click(button("allow"));
  expect(answers).toEqual([{ allowed: [editPlan.id], denied: [] }]);
});

test("an answer is given once", () => {
  const answers = show(editPlan);
  arm();
  fireEvent.keyDown(card(), { key: "a" });
  fireEvent.keyDown(card(), { key: "d" });
  expect(answers).toHaveLength(1);
});

test("a held key answers nothing", () => {
  const answers = show(editPlan);
  arm();
  fireEvent.keyDown(card(), { key: "a", repeat: true });
  expect(answers).toEqual([]);
});

test("Allow never has the focus by itself", () => {
  show(editPlan);
  arm();
  expect(document.activeElement).not.toBe(button("allow"));
});

test("a long plan starts shut, and Allow waits until it was open", () => {
  const answers = show(longPlan);
  arm();
  expect(button("allow").disabled).toBe(true);
  fireEvent.keyDown(card(), { key: "a" });
  expect(answers).toEqual([]);
  fireEvent.click(screen.getByTestId("approval-open-all"));
  expect(button("allow").disabled).toBe(false);
  fireEvent.keyDown(card(), { key: "a" });
  expect(answers).toHaveLength(1);
});

test("Deny needs no reading", () => {
  const answers = show(longPlan);
  arm();
  fireEvent.keyDown(card(), { key: "d" });
  expect(answers).toEqual([{ allowed: [], denied: [longPlan.id] }]);
});

test("opened, every line of the plan is in the card", () => {
  show(longPlan);
  fireEvent.click(screen.getByTestId("approval-open-all"));
  const shown = card().textContent;
  if (longPlan.preview.kind !== "files") throw new Error("fixture");
  for (const line of longPlan.preview.files[0]?.hunks[0]?.lines ?? []) expect(shown).toContain(line.slice(1));
});

test("what changes in line ends alone is told, in the reader's words", () => {
  show(lineEndsPlan);
  expect(card().textContent).toContain("line ends LF → CRLF");
  cleanup();
  show(editPlan);
  expect(card().textContent).not.toContain("line ends");
});

test.each([
  [LANGUAGES.en, "crlf", "mixed", "line ends CRLF → mixed"],
  [LANGUAGES.de, "mixed", "lf", "Zeilenenden gemischt → LF"],
  [LANGUAGES.zh, "lf", "crlf", "换行符 LF → CRLF"],
  [LANGUAGES.de, "mixed", "mixed", "einige Zeilen bekommen andere Zeilenenden"],
  // Of a newer host: shown as it came.
  [LANGUAGES.en, "lf", "toString", "line ends LF → toString"],
])("line ends %#", (text, before, after, words) => {
  expect(lineEndWords({ before, after }, text)).toBe(words);
});

test.each([
  [{ mode: "0644" }, null],
  [{ mode: "100644" }, null],
  [{ mode: "0755" }, "permissions 0755"],
  [{ mode: "0755", executable: true }, "executable, permissions 0755"],
  [{ executable: true }, "executable"],
  [{ mode: "120000" }, "symbolic link"],
  [{ mode_before: "120000" }, "symbolic link"],
  [{ mode: "160000", mode_before: "100644" }, "ordinary file → submodule"],
  [{ mode: "100644", mode_before: "100755" }, "executable → ordinary file"],
  [{ mode: "100755", mode_before: "100644", executable: true }, "ordinary file → executable"],
  [{}, null],
])("what kind of thing a file is: %o", (given, words) => {
  expect(modeWords({ executable: false, ...given }, LANGUAGES.en)).toBe(words);
});

test("a command shows program, every argument, folder, environment, network, sandbox and time", () => {
  show(commandPlan);
  const shown = card().textContent;
  for (const part of ["/usr/bin/node", "--test", "'test/with space.test.js'", "CI=1", "NODE_OPTIONS=--enable-source-maps", "off", "only below", "2 min", "blocked", "in app", "Asks every time"]) expect(shown).toContain(part);
});

test("a commit shows message, author, branch, hooks, files and that it is unsigned", () => {
  show(commitPlan);
  const shown = card().textContent;
  for (const part of ["The test of sum failed since the refactoring.", "Ada Lovelace <ada@example.org>", "main", ".git/hooks/pre-commit", "src/sum.js", "will not be signed"]) expect(shown).toContain(part);
});

test("what hides in an argument stands as a code", () => {
  show(hostilePlan);
  const shown = card().textContent;
  for (const code of ["U+202E", "U+200B", "U+000A"]) expect(shown).toContain(code);
  expect(shown).not.toContain("\u202e");
});

test("the note goes with the denial", () => {
  const answers = show(editPlan);
  arm();
  fireEvent.keyDown(card(), { key: "n" });
  const note = screen.getByTestId("approval-note");
  expect(document.activeElement).toBe(note);
  fireEvent.change(note, { target: { value: "Use a constant" } });
  fireEvent.keyDown(note, { key: "a" });
  expect(answers).toEqual([]);
  fireEvent.click(button("deny"));
  expect(answers).toEqual([{ allowed: [], denied: [editPlan.id], note: "Use a constant" }]);
});

test("in a group, what is not ticked is denied", () => {
  const answers = show(editPlan, secondEditPlan);
  arm();
  fireEvent.click(screen.getByLabelText(secondEditPlan.summary));
  expect(button("allow").textContent).toContain("1 of 2");
  fireEvent.click(button("allow"));
  expect(answers).toEqual([{ allowed: [editPlan.id], denied: [secondEditPlan.id] }]);
});

test("denying a whole group asks once more", () => {
  const answers = show(editPlan, secondEditPlan);
  arm();
  fireEvent.click(button("deny"));
  expect(answers).toEqual([]);
  // The second half of a double click is no second wish.
  act(() => vi.advanceTimersByTime(DOUBLE_CLICK_MS - 1));
  fireEvent.click(button("deny"));
  fireEvent.keyDown(card(), { key: "d" });
  expect(answers).toEqual([]);
  act(() => vi.advanceTimersByTime(1));
  fireEvent.click(button("deny"));
  expect(answers).toEqual([{ allowed: [], denied: [editPlan.id, secondEditPlan.id] }]);
});

test("an answer that was not taken can be given again", async () => {
  let asked = 0;
  render(<ApprovalCard calls={[asking(editPlan) as WaitingCall]} onAnswer={() => Promise.resolve((asked += 1) > 1)} />);
  arm();
  await act(async () => fireEvent.click(button("allow")));
  await act(async () => fireEvent.click(button("allow")));
  expect(asked).toBe(2);
});

test("an engine that never answers does not keep the card spinning", async () => {
  render(<ApprovalCard calls={[asking(editPlan) as WaitingCall]} onAnswer={() => new Promise(() => {})} />);
  arm();
  await act(async () => fireEvent.click(button("allow")));
  expect(screen.queryByTestId("approval-allow")).toBeNull();
  act(() => vi.advanceTimersByTime(SENT_MS));
  expect(button("allow").disabled).toBe(false);
});

test("a move shows where it comes from, and a folder how much is in it", () => {
  const [file] = editPlan.preview.kind === "files" ? editPlan.preview.files : [];
  if (!file) throw new Error("the plan has no file");
  const moved = { ...file, path: "lib/new", op: "rename", from: "src/old", entries: 12, hunks: [], added: 0, removed: 0 };
  show({ ...editPlan, tool: "fs_move", preview: { kind: "files", files: [moved] } });
  const words = card().textContent;
  for (const part of ["lib/new", "from src/old", "new name", "12 entries"]) expect(words).toContain(part);
});

test("a value that the host hands over is not shown as if it were those words", () => {
  const { preview } = commandPlan;
  show({ ...commandPlan, preview: { ...preview, environment: { HOME: "(passed on from the host)" } } as typeof preview });
  expect(card().textContent).toContain("HOME passed on from the host, not shown");
  expect(card().textContent).not.toContain("HOME=");
});

test("a code says what is wrong with it in the reader's language", () => {
  const { preview } = commandPlan;
  render(<TextContext value={LANGUAGES.de}><ApprovalCard calls={[asking({ ...commandPlan, preview: { ...preview, args: ["p\u0430y\u202e"] } as typeof preview }) as WaitingCall]} onAnswer={() => Promise.resolve(true)} /></TextContext>);
  expect(["U+0430", "U+202E"].map((code) => screen.getByText(code).title)).toEqual(["sieht aus wie ein anderes Zeichen", "dreht die Richtung des Textes um"]);
});
