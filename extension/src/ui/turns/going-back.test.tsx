// @vitest-environment happy-dom
// Row 36 (wishes 9, 12): a turn is undone after a look at its files, never over what changed since, and can be brought back.
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { eventually } from "../../testing/eventually.ts";
import { fakeClient, type Scene, type SentIntent } from "../gallery/fake-client.ts";
import { scenes } from "../gallery/scenes.ts";
import { Panel } from "../panel/panel.tsx";

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

async function open(name: string, more: Partial<Scene> = {}) {
  const scene = scenes[name];
  if (!scene) throw new Error(`no scene ${name}`);
  const sent: SentIntent[] = [];
  await act(async () => render(<Panel client={fakeClient({ ...scene, ...more }, sent)} />));
  return sent;
}
const click = (name: string, place = 0) => act(async () => fireEvent.click(screen.getAllByTestId(name)[place] as HTMLElement));
async function choose(item: string, turn = 0) {
  await click("turn-menu", turn);
  await click(item);
}
const go = () => screen.getByTestId<HTMLButtonElement>("undo-go");
const acts = (sent: SentIntent[]) => sent.filter(({ name }) => !name.startsWith("list"));

test("first a look, then the act: conversation and files", async () => {
  const sent = await open("undo-clean");
  await choose("turn-undo", 1);
  expect(screen.getByTestId("undo-files").textContent).toContain("src/sum.js");
  await click("undo-go");
  const params = { session: "01A", turn: "Now commit it" };
  expect(acts(sent)).toEqual([
    { name: "undoTurn", params: { ...params, what: "files", dryRun: true, skipConflicts: false } },
    { name: "undoTurn", params: { ...params, what: "both", dryRun: false, skipConflicts: false } },
  ]);
  expect(screen.queryByTestId("undo-sheet")).toBeNull();
  expect(screen.getByTestId("receipt").textContent).toContain("2 files were put back");
});

test("the sheet begins at the choice that is made, not at the button that shuts it or the one that acts", async () => {
  await open("undo-clean");
  await choose("turn-undo", 1);
  await eventually(() => expect(screen.getByTestId("undo-what-both").contains(document.activeElement)).toBe(true));
});

test("where a file changed since, nothing is done until it may be left as it is; the conversation alone may go", async () => {
  const sent = await open("undo-conflict");
  await choose("turn-undo-files", 1);
  expect(go().disabled).toBe(true);
  await act(async () => fireEvent.click(screen.getByTestId("undo-what-conversation").querySelector("input") as HTMLElement));
  expect(go().disabled).toBe(false);
  await act(async () => fireEvent.click(screen.getByTestId("undo-what-files").querySelector("input") as HTMLElement));
  expect(go().disabled).toBe(true);
  await click("undo-skip");
  await click("undo-go");
  expect(acts(sent).at(-1)?.params).toEqual({ session: "01A", turn: "Now commit it", what: "files", skipConflicts: true, dryRun: false });
});

const receiptButton = () => screen.getByTestId("receipt").querySelector("button");
const replacing = { state: "done" as const, files: [{ turn: "t", path: "src/sum.js", action: "restore", conflict: null, replaced: true }, { turn: "t", path: "a.js", action: "restore", conflict: null }] };

test("a file that changed since is replaced when the person chooses so, and the receipt brings that one back", async () => {
  const look = { state: "dry_run" as const, files: [{ turn: "t", path: "src/sum.js", action: "restore", conflict: "it has changed since" }] };
  const sent = await open("undo-conflict", { answers: { undoTurn: look, bringBackReplaced: { state: "done", files: [{ turn: "t", path: "src/sum.js", action: "restore", conflict: null }] } } });
  await choose("turn-undo-files", 1);
  await click("undo-overwrite");
  look.state = "done" as never;
  look.files = replacing.files as never;
  await click("undo-go");
  expect(acts(sent).at(-1)?.params).toMatchObject({ what: "files", skipConflicts: true, overwrite: true });
  expect(screen.getByTestId("receipt").textContent).toContain("1 file had changed since and was replaced.");
  expect(receiptButton()?.textContent).toBe("Bring that file back");
  await act(async () => receiptButton()?.click());
  expect(acts(sent).at(-1)).toEqual({ name: "bringBackReplaced", params: { session: "01A", turn: "Now commit it" } });
  expect(screen.queryByTestId("undo-sheet")).toBeNull();
});

test("what changed before the receipt was pressed is asked about", async () => {
  const answers = { undoTurn: replacing, bringBackReplaced: { state: "conflict" as const, files: [{ turn: "t", path: "src/sum.js", action: "restore", conflict: "it has changed since" }] } };
  await open("undo-clean", { answers });
  await choose("turn-undo-files", 1);
  await click("undo-go");
  await act(async () => receiptButton()?.click());
  expect(screen.getByTestId("undo-sheet").textContent).toContain("Bring replaced files back");
  expect(screen.queryByTestId("undo-what-files")).toBeNull();
  expect(go().disabled).toBe(true);
});

test("as long as something is replaced, the turn and its menu offer to bring it back", async () => {
  const scene = scenes["two-turns"];
  const session = scene?.session;
  if (!session) throw new Error("no scene");
  const id = String(session.turns[1]?.message.id);
  const undone = [{ turn: id, direction: "undo" as const, state: "done", files: replacing.files, replaced: ["src/sum.js"], at: 1 }, { turn: "an agent's", within: id, direction: "undo" as const, state: "done", files: [], replaced: ["b.js"], at: 1 }];
  const files = ["src/sum.js", "b.js"].map((path) => ({ turn: "t", path, action: "restore", conflict: null }));
  const sent = await open("two-turns", { session: { ...session, undone }, answers: { bringBackReplaced: { state: "dry_run", files } } });
  expect(screen.getByTestId("undone-note").textContent).toContain("2 files had changed since and were replaced.");
  await choose("turn-bring-replaced", 1);
  expect(screen.getByTestId("undo-files").textContent).toContain("b.js");
  await click("undo-go");
  expect(acts(sent)).toEqual([
    { name: "bringBackReplaced", params: { session: "01A", turn: id, dryRun: true, skipConflicts: false } },
    { name: "bringBackReplaced", params: { session: "01A", turn: id, dryRun: false, skipConflicts: false } },
  ]);
  expect(receiptButton()).toBeNull();
});

const NOTHING_YET = { state: "dry_run" as const, files: [] };

test("a turn for which only an agent changed files is told as taken back, and can be redone", async () => {
  const session = scenes["two-turns"]?.session;
  if (!session) throw new Error("no scene");
  const id = String(session.turns[1]?.message.id);
  const file = (path: string, conflict: string | null = null) => ({ path, action: "restore", conflict });
  const undone = [
    { turn: "first", within: id, direction: "undo" as const, state: "partly", files: [file("a.js"), file("both.js", "it has changed since")], at: 1 },
    { turn: "second", within: id, direction: "undo" as const, state: "done", files: [file("both.js")], at: 2 },
    { turn: "third", within: id, direction: "redo" as const, state: "done", files: [file("c.js")], at: 3 },
  ];
  const sent = await open("two-turns", { session: { ...session, undone }, answers: { redoTurn: NOTHING_YET } });
  expect(screen.getByTestId("undone-note").textContent).toContain("2 files");
  await choose("turn-redo-files", 1);
  expect(acts(sent)).toEqual([{ name: "redoTurn", params: { session: "01A", turn: id, what: "files", dryRun: true, skipConflicts: false } }]);
});

test("a redo of a turn with its files that nobody finished is told where its turn is not, and finished whole", async () => {
  const scene = scenes["undone"];
  const session = scene?.session;
  const gone = session?.branches.flatMap(({ turns }) => turns).find(({ id }) => session.turns.every(({ message }) => message.id !== id));
  if (!session || !gone) throw new Error("no scene");
  const sent = await open("undone", { session: { ...session, undoLeft: { act: "redo", turn: gone.id, what: "both" } }, answers: { redoTurn: NOTHING_YET } });
  expect(screen.getAllByTestId("half-undone")).toHaveLength(1);
  await click("half-undone-go");
  await click("undo-go");
  expect(acts(sent).at(-1)).toEqual({ name: "redoTurn", params: { session: "01A", turn: gone.id, what: "both", dryRun: false, skipConflicts: false } });
});

test("what was asked for one file alone is finished for that one", async () => {
  const session = scenes["two-turns"]?.session;
  if (!session) throw new Error("no scene");
  const id = String(session.turns[1]?.message.id);
  const sent = await open("two-turns", { session: { ...session, undoLeft: { act: "undo", turn: id, what: "files", paths: ["a.js"] } }, answers: { undoTurn: NOTHING_YET } });
  await click("half-undone-go");
  await click("undo-go");
  expect(acts(sent).map(({ params }) => (params as { paths?: unknown }).paths)).toEqual([["a.js"], ["a.js"]]);
});

test("an undo that nobody finished in time is told at its turn, with the way to finish it", async () => {
  const session = scenes["two-turns"]?.session;
  if (!session) throw new Error("no scene");
  const id = String(session.turns[1]?.message.id);
  const sent = await open("two-turns", { session: { ...session, undoLeft: { act: "redo", turn: id, what: "files" } }, answers: { redoTurn: NOTHING_YET } });
  expect(screen.getAllByTestId("half-undone")).toHaveLength(1);
  await click("half-undone-go");
  expect(acts(sent)).toEqual([{ name: "redoTurn", params: { session: "01A", turn: id, what: "files", dryRun: true, skipConflicts: false } }]);
});

test("a file that changes between the look and the act stops the act", async () => {
  const conflict = { state: "conflict" as const, files: [{ turn: "t", path: "src/sum.js", action: "restore", conflict: "it was changed a moment ago" }] };
  await open("undo-clean", { answers: { undoTurn: conflict } });
  await choose("turn-undo", 1);
  expect(go().disabled).toBe(true);
  expect(screen.getByTestId("undo-sheet").textContent).toContain("a moment ago");
});

test("what was taken back is brought back: by its branch, or with its files where those went too", async () => {
  const sent = await open("branches");
  await click("bring-back");
  expect(acts(sent)).toEqual([{ name: "selectBranch", params: { session: "01A", branch: "b3" } }]);
});

test("the switch goes to the branch beside", async () => {
  const sent = await open("branches");
  await click("branch-previous");
  expect(acts(sent)).toEqual([{ name: "selectBranch", params: { session: "01A", branch: "main" } }]);
  expect(screen.getByTestId<HTMLButtonElement>("branch-next").disabled).toBe(true);
});

test("a message in other words goes on a branch of its own", async () => {
  const sent = await open("two-turns");
  await choose("turn-edit", 1);
  const field = screen.getByTestId<HTMLTextAreaElement>("edit-message-text");
  expect(document.activeElement).toBe(field);
  fireEvent.change(field, { target: { value: "Explain it shortly" } });
  await act(async () => fireEvent.keyDown(field, { key: "Enter" }));
  expect(acts(sent)).toEqual([{ name: "editMessage", params: { session: "01A", turn: "Now explain what was wrong", text: "Explain it shortly" } }]);
});

test("a turn is tried again", async () => {
  const sent = await open("two-turns");
  await choose("turn-retry", 1);
  expect(acts(sent)).toEqual([{ name: "retryTurn", params: { session: "01A", turn: "Now explain what was wrong" } }]);
});

test("taken out of the conversation, with the way back in the receipt", async () => {
  const sent = await open("two-turns", { answers: { deleteTurn: { receipt: { message: "" }, before: "main" } } });
  await choose("turn-remove", 1);
  expect(screen.getByTestId("receipt").textContent).toContain("left out of the conversation");
  await act(async () => fireEvent.click(screen.getByTestId("receipt").querySelector("button") as HTMLElement));
  expect(acts(sent).map(({ name }) => name)).toEqual(["deleteTurn", "selectBranch"]);
});

test("while a turn runs nothing of the conversation can be changed", async () => {
  await open("answered-edit");
  expect(screen.queryByLabelText("Edit and branch")).toBeNull();
});

test("a turn or the whole conversation is copied as markdown", async () => {
  const copied: string[] = [];
  vi.spyOn(navigator.clipboard, "writeText").mockImplementation((words) => Promise.resolve(void copied.push(words)));
  const sent = await open("two-turns", { answers: { copyTurn: { markdown: "> Fix it" } } });
  await choose("turn-copy");
  await choose("conversation-copy");
  expect(copied).toEqual(["> Fix it", "> Fix it"]);
  expect(acts(sent).map(({ params }) => (params as { turn: string | null }).turn)).toEqual(["Fix the failing test and commit it", null]);
});

test("a summary can be read, and undone", async () => {
  const sent = await open("compacted");
  await click("undo-compaction");
  expect(acts(sent)).toEqual([{ name: "undoCompaction", params: { session: "01A", compaction: "c1" } }]);
});
