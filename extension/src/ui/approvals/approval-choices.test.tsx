// @vitest-environment happy-dom
// Hunks, rules, leases, arguments: what a card can say beyond yes and no.
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { asking } from "../gallery/parts.ts";
import { commandPlan, editPlan, hunksPlan, longPlan, patchPlan, secondEditPlan } from "../gallery/plans.ts";
import type { Plan } from "../../wire/plan.ts";
import type { CardAnswer } from "./approval-answer.ts";
import { forgetKept } from "../common/use-kept.ts";
import { answerIntents } from "./answer-intents.ts";
import { ApprovalCard, type WaitingCall } from "./approval-card.tsx";
import type { CardActs } from "./card-acts.ts";
import { ARM_MS } from "./use-armed.ts";

// As when the panel has stood for a moment.
beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  cleanup();
  forgetKept();
  vi.useRealTimers();
});

const narrow = { target: { tool: "fs_edit", path: "src/sum.js" }, alsoMatches: [] };
const wide = { target: { tool: "fs_edit", path: "src/**" }, alsoMatches: [{ call: "old", summary: "Edit src/old.js" }] };

async function show(plans: Plan[], more: Partial<CardActs> = {}, call: Partial<WaitingCall> = {}) {
  const answers: CardAnswer[] = [];
  const calls = plans.map((plan) => ({ ...asking(plan, plans.length > 1 ? "g" : null), ...call }) as WaitingCall);
  const acts: CardActs = { propose: () => Promise.resolve([narrow, wide]), preview: () => Promise.resolve([]), editArgs: () => Promise.resolve(true), requestOrigin: () => Promise.resolve(true), ...more };
  render(<ApprovalCard calls={calls} acts={acts} onAnswer={(answer) => Promise.resolve(answers.push(answer) > 0)} />);
  await act(() => vi.advanceTimersByTimeAsync(ARM_MS));
  return { answers, calls };
}
const click = (name: string) => act(async () => fireEvent.click(screen.getByTestId(name)));
const radio = (name: string) => act(async () => fireEvent.click(screen.getByTestId(name).querySelector("input") as HTMLInputElement));
const card = () => screen.getByTestId("approval-card");
const boxes = () => screen.getAllByTestId<HTMLInputElement>("hunk-box");

test("what is left out is not sent, and the button says so", async () => {
  const { answers, calls } = await show([hunksPlan]);
  expect(boxes()).toHaveLength(3);
  await act(async () => fireEvent.click(boxes()[1] as HTMLInputElement));
  expect(screen.getByTestId("approval-allow").textContent).toContain("2 of 3");
  await click("approval-allow");
  expect(answers).toEqual([{ allowed: [hunksPlan.id], denied: [], hunks: { [hunksPlan.id]: ["h1", "h3"] } }]);
  expect(answerIntents(calls, answers[0] as CardAnswer)[0]?.hunks).toEqual(["h1", "h3"]);
});

test("all ticked is the whole plan; none ticked cannot be allowed", async () => {
  const { answers } = await show([hunksPlan]);
  for (const box of boxes()) await act(async () => fireEvent.click(box));
  expect(screen.getByTestId<HTMLButtonElement>("approval-allow").disabled).toBe(true);
  for (const box of boxes()) await act(async () => fireEvent.click(box));
  await click("approval-allow");
  expect(answers).toEqual([{ allowed: [hunksPlan.id], denied: [] }]);
});

test("a file's box stands for all its changes, and says when it is some of them", async () => {
  const { answers } = await show([patchPlan]);
  const file = screen.getByLabelText<HTMLInputElement>("All changes in src/basket.js");
  await act(async () => fireEvent.click(boxes()[0] as HTMLInputElement));
  expect([file.checked, file.indeterminate]).toEqual([false, true]);
  await act(async () => fireEvent.click(file));
  expect([file.checked, file.indeterminate]).toEqual([true, false]);
  await act(async () => fireEvent.click(file));
  await click("approval-allow");
  expect(answers[0]?.hunks).toEqual({ [patchPlan.id]: ["h3"] });
});

test("a file that is written whole has its changes one by one, too", async () => {
  const { preview } = hunksPlan;
  const whole = { ...hunksPlan, tool: "fs_write", preview: { ...preview, files: preview.kind === "files" ? preview.files.map((file) => ({ ...file, op: "overwrite" })) : [] } } as Plan;
  const { answers } = await show([whole]);
  await act(async () => fireEvent.click(boxes()[1] as HTMLInputElement));
  await click("approval-allow");
  expect(answers[0]?.hunks).toEqual({ [whole.id]: ["h1", "h3"] });
});

test("a file without lines goes with the whole plan or not at all, and its box says so", async () => {
  const { preview } = patchPlan;
  const files = preview.kind === "files" ? preview.files : [];
  const renamed = { ...files[0], path: "src/shop.js", from: "src/store.js", op: "rename", hunks: [], added: 0, removed: 0 } as (typeof files)[number];
  const { answers } = await show([{ ...patchPlan, preview: { kind: "files", files: [...files, renamed] } } as Plan]);
  const [, , last] = screen.getAllByTestId<HTMLInputElement>("file-box");
  expect([last?.checked, last?.disabled, screen.queryByTestId("file-left-out")]).toEqual([true, true, null]);
  await act(async () => fireEvent.click(boxes()[0] as HTMLInputElement));
  expect(screen.getByTestId("approval-allow").textContent).toContain("2 of 4");
  expect([last?.checked, screen.getByTestId("file-left-out").textContent]).toEqual([false, expect.stringContaining("Left out")]);
  await click("approval-allow");
  expect(answers[0]?.hunks).toEqual({ [patchPlan.id]: ["h2", "h3"] });
});

test("where there is nothing to leave out there are no boxes: one change, a new file, a command", async () => {
  for (const plan of [editPlan, secondEditPlan, longPlan, commandPlan]) {
    await show([plan]);
    expect(screen.queryByTestId("hunk-box")).toBeNull();
    cleanup();
  }
});

test("the arrows go from change to change, the space bar ticks, and letters still answer", async () => {
  const { answers } = await show([hunksPlan]);
  fireEvent.keyDown(card(), { key: "ArrowDown" });
  expect(document.activeElement).toBe(boxes()[0]);
  fireEvent.keyDown(boxes()[0] as HTMLElement, { key: "ArrowDown" });
  expect(document.activeElement).toBe(boxes()[1]);
  await act(async () => fireEvent.keyDown(boxes()[1] as HTMLElement, { key: "a" }));
  expect(answers).toHaveLength(1);
});

test("user wish 1: from now on begins with the narrowest rule for this session, and shows what a wider one would have let through", async () => {
  const { answers, calls } = await show([editPlan]);
  await radio("reach-remember");
  expect(screen.getByTestId("also-matches").textContent).toContain("this one alone");
  await act(async () => fireEvent.click(screen.getAllByTestId("rule-option")[1]?.querySelector("input") as HTMLInputElement));
  expect(screen.getByTestId("also-matches").textContent).toContain("Edit src/old.js");
  await radio("scope-always");
  await click("approval-allow");
  expect(answers).toEqual([{ allowed: [editPlan.id], denied: [], remember: { call: editPlan.id, scope: "always", target: wide.target } }]);
  expect(answerIntents(calls, answers[0] as CardAnswer)[0]?.remember).toEqual({ scope: "always", target: wide.target });
});

test("a denial can be remembered too", async () => {
  const { answers } = await show([editPlan]);
  await radio("reach-remember");
  await click("approval-deny");
  expect(answers).toEqual([{ allowed: [], denied: [editPlan.id], remember: { call: editPlan.id, scope: "session", target: narrow.target } }]);
});

test("paths of one's own are looked at before they count", async () => {
  const { answers } = await show([editPlan], { preview: (target) => Promise.resolve(target.path === "src/s*" ? [{ call: "p", summary: "Edit src/sea.js" }] : null) });
  await radio("reach-remember");
  fireEvent.change(screen.getByTestId("rule-path"), { target: { value: "src/s*" } });
  await act(() => vi.advanceTimersByTimeAsync(250));
  expect(screen.getByTestId("also-matches").textContent).toContain("Edit src/sea.js");
  await click("approval-allow");
  expect(answers[0]?.remember?.target.path).toBe("src/s*");
});

test("of a group only rules that cover every call are proposed", async () => {
  const propose = () => Promise.resolve([narrow, { ...wide, alsoMatches: [...wide.alsoMatches, { call: secondEditPlan.id, summary: "Create" }] }]);
  const { answers } = await show([editPlan, secondEditPlan], { propose });
  await radio("reach-remember");
  expect(screen.getAllByTestId("rule-option")).toHaveLength(1);
  await click("approval-allow");
  expect(answers[0]?.remember?.target).toEqual(wide.target);
});

test("where no rule is narrow enough, nothing is remembered by accident", async () => {
  const { answers } = await show([editPlan], { propose: () => Promise.resolve([]) });
  await radio("reach-remember");
  expect(screen.getByTestId("no-rule")).toBeTruthy();
  fireEvent.keyDown(card(), { key: "a" });
  expect(answers).toEqual([]);
});

test("a lease covers at least what the card asks, and ends", async () => {
  const { answers } = await show([commandPlan]);
  await radio("reach-lease");
  const [edits, others] = screen.getByTestId("lease-panel").querySelectorAll<HTMLInputElement>("input[type=checkbox]");
  expect([edits?.checked, others?.checked, others?.disabled]).toEqual([false, true, true]);
  await act(async () => fireEvent.click(screen.getByLabelText("5 min")));
  await act(async () => fireEvent.click(screen.getByLabelText("10 calls")));
  await click("approval-allow");
  expect(answers[0]?.lease).toEqual({ tiers: ["individual"], minutes: 5, calls: 10, costUsd: null });
});

test("edited arguments go to the host, and nothing is allowed meanwhile", async () => {
  const sent: string[] = [];
  const argsText = '{"path":"a.js","edits":[{"old_text":"a\\nb","new_text":"c"}],"count":2}';
  const { answers } = await show([editPlan], { editArgs: (_call, text) => Promise.resolve(sent.push(text) > 0) }, { argsText });
  fireEvent.keyDown(card(), { key: "e" });
  const fields = screen.getAllByTestId<HTMLTextAreaElement>("arg-field");
  expect(fields.map((field) => [field.dataset["name"], field.value])).toEqual([["path", "a.js"], ["edits[0].old_text", "a\nb"], ["edits[0].new_text", "c"], ["count", "2"]]);
  fireEvent.keyDown(card(), { key: "a" });
  expect(answers).toEqual([]);
  fireEvent.change(fields[3] as HTMLElement, { target: { value: "2," } });
  expect(screen.getByTestId<HTMLButtonElement>("args-send").disabled).toBe(true);
  fireEvent.change(fields[3] as HTMLElement, { target: { value: "3" } });
  fireEvent.change(fields[2] as HTMLElement, { target: { value: 'say "c"' } });
  await click("args-send");
  expect(sent.map((text) => JSON.parse(text) as unknown)).toEqual([{ path: "a.js", edits: [{ old_text: "a\nb", new_text: 'say "c"' }], count: 3 }]);
});

test("arguments that are no JSON are mended as text", async () => {
  const sent: string[] = [];
  await show([editPlan], { editArgs: (_call, text) => Promise.resolve(sent.push(text) > 0) }, { argsText: "{broken" });
  fireEvent.keyDown(card(), { key: "e" });
  expect(screen.getByTestId<HTMLButtonElement>("args-send").disabled).toBe(true);
  fireEvent.change(screen.getByTestId("args-text"), { target: { value: '{"path":"b"}' } });
  await click("args-send");
  expect(sent).toEqual(['{"path":"b"}']);
});

const typePath = (value: string) => fireEvent.change(screen.getByTestId("rule-path"), { target: { value } });
const allow = () => screen.getByTestId<HTMLButtonElement>("approval-allow");

test("paths that are no rule make none, and neither the one that stood there before", async () => {
  const { answers } = await show([editPlan], { preview: () => Promise.resolve(null) });
  await radio("reach-remember");
  for (const path of ["src/{", ""]) {
    typePath(path);
    await act(() => vi.advanceTimersByTimeAsync(300));
    expect(screen.getByText("This is no rule.")).toBeTruthy();
    expect([allow().disabled, screen.getByTestId<HTMLButtonElement>("approval-deny").disabled]).toEqual([true, true]);
    await act(async () => fireEvent.keyDown(card(), { key: "a" }));
  }
  expect(answers).toEqual([]);
  typePath("src/sum.js");
  expect(allow().disabled).toBe(false);
});

test("paths that were made narrower are what is kept, never the wider ones that were looked at before", async () => {
  const { answers } = await show([editPlan], { preview: async () => [] });
  await radio("reach-remember");
  typePath("src/**");
  await act(() => vi.advanceTimersByTimeAsync(250));
  expect(allow().disabled).toBe(false);
  typePath("src/a/**");
  expect(allow().disabled).toBe(true);
  await act(async () => fireEvent.keyDown(card(), { key: "a" }));
  expect(answers).toEqual([]);
  await act(() => vi.advanceTimersByTimeAsync(250));
  await click("approval-allow");
  expect(answers[0]?.remember?.target.path).toBe("src/a/**");
});

test("a key means its button, and nothing where that is not drawn", async () => {
  const { answers } = await show([editPlan]);
  await radio("reach-remember");
  for (const key of ["n", "e"]) await act(async () => fireEvent.keyDown(card(), { key }));
  expect([screen.queryByTestId("approval-note"), screen.queryByTestId("args-editor")]).toEqual([null, null]);
  await radio("reach-once");
  await act(async () => fireEvent.keyDown(card(), { key: "n" }));
  const cancel = screen.getByText("Cancel");
  for (const key of ["a", "d", "e"]) await act(async () => fireEvent.keyDown(cancel, { key }));
  expect(answers).toEqual([]);
  expect(screen.getByTestId("approval-note")).toBeTruthy();
});

test("of a group the rule is for what is ticked", async () => {
  const asked: string[] = [];
  const propose = (call: string) => (asked.push(call), Promise.resolve([narrow]));
  const { answers } = await show([editPlan, secondEditPlan], { propose });
  await act(async () => fireEvent.click(screen.getAllByTestId("call-box")[0] as HTMLElement));
  await radio("reach-remember");
  expect(asked).toEqual([secondEditPlan.id]);
  expect(screen.getAllByTestId("rule-option")).toHaveLength(1);
  await click("approval-allow");
  expect(answers).toEqual([{ allowed: [secondEditPlan.id], denied: [editPlan.id], remember: { call: secondEditPlan.id, scope: "session", target: narrow.target } }]);
});

test("for other calls other rules are proposed, and none meanwhile", async () => {
  let answer: (proposals: []) => void = () => {};
  const propose = vi.fn<CardActs["propose"]>().mockResolvedValueOnce([{ ...wide, alsoMatches: [{ call: secondEditPlan.id, summary: "Create" }] }]).mockReturnValueOnce(new Promise((resolve) => (answer = resolve)));
  const { answers } = await show([editPlan, secondEditPlan], { propose });
  await radio("reach-remember");
  expect(allow().disabled).toBe(false);
  await act(async () => fireEvent.click(screen.getAllByTestId("call-box")[1] as HTMLElement));
  expect(allow().disabled).toBe(true);
  await act(async () => answer([]));
  await act(async () => fireEvent.keyDown(card(), { key: "a" }));
  expect(answers).toEqual([]);
});

test("a call of a group can be edited by itself, and its whole arguments are behind a line", async () => {
  const sent: string[] = [];
  await show([editPlan, secondEditPlan], { editArgs: (call, text) => Promise.resolve(sent.push(`${call.id} ${text}`) > 0) }, { argsText: '{"path":"a.js","edits":[]}', args: { path: "a.js", edits: ["x"] } });
  await act(async () => fireEvent.click(screen.getAllByText("All arguments")[1] as HTMLElement));
  expect(card().textContent).toContain('"edits": [');
  await act(async () => fireEvent.click(screen.getAllByTestId("call-edit")[1] as HTMLElement));
  await click("args-send");
  expect(sent).toEqual([`${secondEditPlan.id} {"path":"a.js","edits":[]}`]);
});

test.each([
  [{ kind: "schedule", session: "p", by: "s" } as const, "for a scheduled run"],
  [{ kind: "subagent", session: "p", by: "c", scheduled: true } as const, "for a scheduled run"],
  [{ kind: "subagent", session: "p", by: "c" } as const, "for a sub-agent"],
  [{ kind: "fork", session: "p", by: null } as const, null],
])("the card says whose work asks: %j", (from, words) => {
  render(<ApprovalCard calls={[asking(editPlan) as WaitingCall]} from={from} onAnswer={() => Promise.resolve(true)} />);
  expect(screen.queryByTestId("card-from")?.textContent.trim() ?? null).toBe(words);
});

test("a rule for scheduled runs alone says so", async () => {
  await show([editPlan], { propose: () => Promise.resolve([{ target: { ...narrow.target, origin: "schedule" }, alsoMatches: [] }]) });
  await radio("reach-remember");
  expect(screen.getByTestId("rule-option").textContent).toContain("from a schedule");
});
