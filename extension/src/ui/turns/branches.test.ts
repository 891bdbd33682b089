// Row 62 (wish 9): every way a conversation took can be found again from the one that is shown.
import { expect, test } from "vitest";
import type { BranchView, SessionView } from "../../agent/session-view.ts";
import { session, step, turn } from "../gallery/parts.ts";
import { branchPoints, takenBack } from "./branch-points.ts";
import { treeOfBranches } from "./tree-of-branches.ts";
import { turnItems } from "./turn-items.ts";

let at = 0;
const branch = (id: string, parent: string | null, turns: string, more: Partial<BranchView> = {}): BranchView => ({ id, kind: "fork", from: null, parent, at: (at += 1), isCurrent: false, turns: [...turns].map((each) => ({ id: each, text: each, status: "complete", at: 0 })), ...more });
const view = (shown: string, ...branches: BranchView[]): SessionView => ({ ...session("t", [...shown].map((each) => turn(each, []))), branches });

test.each<[string, SessionView, [string, number, number, string | null, string | null][]]>([
  ["one way only: no switch", view("abc", branch("main", null, "abc", { isCurrent: true })), []],
  ["an edited message stands beside the first", view("aB", branch("main", null, "abc"), branch("e", "main", "aB", { isCurrent: true })), [["B", 2, 2, "main", null]]],
  ["the same, seen from the first", view("abc", branch("main", null, "abc", { isCurrent: true }), branch("e", "main", "aB")), [["b", 1, 2, null, "e"]]],
  ["edits of edits at two depths", view("aBD", branch("main", null, "abc"), branch("e", "main", "aBC"), branch("f", "e", "aBD", { isCurrent: true })), [["B", 2, 2, "main", null], ["D", 2, 2, "e", null]]],
  ["the newest branch of a way is gone to", view("x", branch("main", null, "ab"), branch("g", "main", "ac"), branch("n", null, "x", { isCurrent: true })), [["x", 2, 2, "g", null]]],
  ["a turn taken back is no way of its own", view("a", branch("main", null, "ab"), branch("u", "main", "a", { kind: "undo", isCurrent: true })), []],
])("%s", (_name, shown, expected) => {
  expect([...branchPoints(shown)].map(([id, { place, count, previous, next }]) => [id, place, count, previous, next])).toEqual(expected);
});

test("what was taken back is offered at the end, newest first, with what comes along", () => {
  const shown = view("a", branch("main", null, "abc"), branch("e", "main", "ad"), branch("u", "e", "a", { kind: "undo", isCurrent: true }));
  expect(takenBack(shown)).toEqual([{ turn: "d", text: "d", branch: "e", turns: ["d"] }, { turn: "b", text: "b", branch: "main", turns: ["b", "c"] }]);
});

test("all taken back: what was there from the beginning is offered", () => {
  expect(takenBack(view("", branch("main", null, "ab"), branch("u", "main", "", { kind: "undo", isCurrent: true }))).map(({ branch: id }) => id)).toEqual(["main"]);
});

test("the tree shows each branch under the one it left, with its own turns; one without a parent is not lost", () => {
  const rows = treeOfBranches([branch("main", null, "abc"), branch("e", "main", "aB", { from: "a" }), branch("f", "e", "aBD", { from: "B" }), branch("g", "main", "abx", { from: "b" }), branch("lost", "gone", "z")]);
  expect(rows.map((row) => [row.branch.id, row.depth, row.own.map(({ text }) => text).join("")])).toEqual([["main", 0, "abc"], ["e", 1, "B"], ["f", 2, "D"], ["g", 1, "x"], ["lost", 0, "z"]]);
});

test("what was said and where room was made stand where they happened, and nothing is left out", () => {
  const steers = [{ id: "s0", text: "", afterSteps: 0, at: 0 }, { id: "s1", text: "", afterSteps: 1, at: 0 }, { id: "s9", text: "", afterSteps: 9, at: 0 }];
  const compaction = { id: "c", turn: "t", steps: 1, summary: "", tokensBefore: 0, tokensAfter: 0, by: "user" as const, failed: false, at: 0 };
  const items = turnItems(turn("t", [step({ text: "one" }), step({ text: "two" })], { steers }), [compaction]);
  expect(items.map((item) => (item.kind === "step" ? item.step.text : item.kind === "steer" ? item.steer.id : item.compaction.id))).toEqual(["s0", "one", "c", "s1", "two", "s9"]);
});
