// @vitest-environment happy-dom
// What a person chose on a card never widens by itself: not by a look at another screen, and not by a fresh plan.
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { forgetKept } from "../common/use-kept.ts";
import { asking } from "../gallery/parts.ts";
import { commandPlan, editPlan, hunksPlan, longPlan, patchPlan, secondEditPlan } from "../gallery/plans.ts";
import type { Plan } from "../../wire/plan.ts";
import type { CardAnswer } from "./approval-answer.ts";
import { ApprovalCard, type WaitingCall } from "./approval-card.tsx";
import type { CardActs } from "./card-acts.ts";
import { ARM_MS } from "./use-armed.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  cleanup();
  forgetKept();
  vi.useRealTimers();
});

const acts: CardActs = { propose: () => Promise.resolve([{ target: { tool: "fs_edit", path: "src/sum.js" }, alsoMatches: [] }]), preview: () => Promise.resolve([]), editArgs: () => Promise.resolve(false), requestOrigin: () => Promise.resolve(true) };

/** The card as it is drawn when one comes to the chat, or back to it. */
async function come(plans: readonly Plan[], more: Partial<WaitingCall> = {}) {
  cleanup();
  const answers: CardAnswer[] = [];
  const calls = plans.map((plan, place) => ({ ...asking({ ...plan, digest: plan.digest === "sha256:0" ? plan.summary : plan.digest }, plans.length > 1 ? "g" : null), id: `call-${place}`, ...more }) as WaitingCall);
  render(<ApprovalCard calls={calls} acts={acts} onAnswer={(answer) => Promise.resolve(answers.push(answer) > 0)} />);
  await act(() => vi.advanceTimersByTimeAsync(ARM_MS));
  return answers;
}
const click = (element: Element | null | undefined) => act(async () => fireEvent.click(element as HTMLElement));
const boxes = () => screen.getAllByTestId<HTMLInputElement>("hunk-box");
const ticks = () => boxes().map(({ checked }) => checked);
const card = () => screen.getByTestId("approval-card");
const press = (key: string) => act(async () => fireEvent.keyDown(card(), { key }));
const fresh = (plan: Plan, more: Partial<Plan> = {}): Plan => ({ ...plan, id: `${plan.id} anew`, ...more });

test("changes that were left out are still left out after a look at another screen, and `a` does not make them", async () => {
  await come([hunksPlan]);
  await click(boxes()[1]);
  const answers = await come([hunksPlan]);
  expect(ticks()).toEqual([true, false, true]);
  await press("a");
  expect(answers).toEqual([{ allowed: ["call-0"], denied: [], hunks: { "call-0": ["h1", "h3"] } }]);
});

test("a fresh plan that does the same keeps what was left out, also after an answer that came too late", async () => {
  await come([hunksPlan]);
  await click(boxes()[1]);
  await press("a");
  await come([fresh(hunksPlan, { reasons: ["approval_stale: it has expired"] })]);
  expect(ticks()).toEqual([true, false, true]);
  expect(screen.queryByTestId("choice-carried")).toBeNull();
});

test("a fresh plan of other content begins with the same files left out, and says so", async () => {
  await come([patchPlan]);
  await click(boxes()[0]);
  const answers = await come([fresh(patchPlan, { digest: "another" })]);
  expect(ticks()).toEqual([false, false, true]);
  expect(screen.getByTestId("choice-carried").textContent).toContain("changed since");
  await press("a");
  expect(answers[0]?.hunks).toEqual({ "call-0": ["h3"] });
});

test("where only the change that was left out remains, it does not become the whole", async () => {
  await come([hunksPlan]);
  await click(boxes()[1]);
  const { preview } = hunksPlan;
  const one = preview.kind === "files" ? preview.files.map((file) => ({ ...file, hunks: file.hunks.slice(1, 2) })) : [];
  const answers = await come([fresh(hunksPlan, { digest: "less", preview: { kind: "files", files: one } })]);
  expect(ticks()).toEqual([false]);
  await press("a");
  expect(answers).toEqual([]);
});

test("a call that was not ticked stays so, and on a card with others, too", async () => {
  await come([editPlan, secondEditPlan, commandPlan]);
  await click(screen.getAllByTestId("call-box")[1]);
  const answers = await come([editPlan, secondEditPlan]);
  expect(screen.getAllByTestId<HTMLInputElement>("call-box").map(({ checked }) => checked)).toEqual([true, false]);
  await press("a");
  expect(answers[0]?.denied).toEqual(["call-1"]);
});

test("a note, how far the answer reaches, and what was read are as they were left", async () => {
  await come([editPlan]);
  await press("n");
  fireEvent.change(screen.getByTestId("approval-note"), { target: { value: "Use a constant" } });
  await come([editPlan]);
  expect(screen.getByTestId<HTMLTextAreaElement>("approval-note").value).toBe("Use a constant");

  await come([longPlan]);
  await click(screen.getByTestId("approval-open-all"));
  await come([longPlan]);
  expect(screen.queryByTestId("approval-open-all")).toBeNull();

  await come([commandPlan]);
  await click(screen.getByTestId("reach-lease").querySelector("input"));
  await click(screen.getByLabelText("5 min"));
  const answers = await come([commandPlan]);
  await press("a");
  expect(answers[0]?.lease?.minutes).toBe(5);
});

test("what reaches further than this time is chosen for one plan, and not for the next", async () => {
  await come([commandPlan]);
  await click(screen.getByTestId("reach-lease").querySelector("input"));
  const answers = await come([fresh(commandPlan, { digest: "another" })]);
  await press("a");
  expect(answers).toEqual([{ allowed: ["call-0"], denied: [] }]);
});

test("arguments that are being edited are as they were left", async () => {
  const argsText = '{"path":"a.js","count":2}';
  await come([editPlan], { argsText });
  await press("e");
  // What draws them is fetched when it is wanted first.
  await act(() => vi.dynamicImportSettled());
  fireEvent.change(screen.getAllByTestId("arg-field")[0] as HTMLElement, { target: { value: "b.js" } });
  await come([editPlan], { argsText });
  expect(screen.getAllByTestId<HTMLTextAreaElement>("arg-field").map(({ value }) => value)).toEqual(["b.js", "2"]);
});
