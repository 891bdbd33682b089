// @vitest-environment happy-dom
// What a press grants beyond itself: an address of the browser, a rule, a lease. It is asked for in the press, and it is said.
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Intents } from "../../app/bus.ts";
import { ARM_MS } from "../approvals/use-armed.ts";
import { forgetKept } from "../common/use-kept.ts";
import { app, connected } from "../gallery/basics.ts";
import { fakeClient, type SentIntent } from "../gallery/fake-client.ts";
import { asking, session, step, turn } from "../gallery/parts.ts";
import { callPlan, editPlan } from "../gallery/plans.ts";
import type { SessionView, ToolCallView, TurnView } from "../../agent/session-view.ts";
import { Panel } from "../panel/panel.tsx";

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  cleanup();
  forgetKept();
  vi.useRealTimers();
  location.hash = "";
});

const url = "https://docs.example.org:8443/guide?x=1";
const page: ToolCallView = { ...asking(callPlan), approval: { plan: callPlan, tier: "individual", group: null, askedAt: 0, needsOrigin: url, answer: null } };
const waiting = (call: ToolCallView) => session("Read the guide", [turn("Read the guide", [step({ calls: [call] })], { status: "needs_you", endedAt: null })]);

interface Opened {
  sent: SentIntent[];
  requested: { address: string; isInPress: boolean }[];
}

/** `grants`: what the browser answers; a promise that never ends is a question that still stands. */
async function open(view: SessionView, grants: () => Promise<boolean>, answers: { answerApproval?: Intents["answerApproval"]["result"] } = {}): Promise<Opened> {
  const sent: SentIntent[] = [];
  const requested: Opened["requested"] = [];
  let isInPress = false;
  for (const kind of ["click", "keydown"]) {
    // Before and after whatever listens in the panel.
    window.addEventListener(kind, () => (isInPress = true), true);
    window.addEventListener(kind, () => (isInPress = false));
  }
  location.hash = "session=01A";
  const client = fakeClient({ connection: connected, app, session: view, answers }, sent);
  await act(async () => render(<Panel client={{ ...client, requestOrigin: (address) => (requested.push({ address, isInPress }), grants()) }} />));
  await act(() => vi.advanceTimersByTimeAsync(ARM_MS));
  return { sent, requested };
}
const answered = ({ sent }: Opened) => sent.filter(({ name }) => name === "answerApproval" || name === "resume" || name === "retryTurn");
const click = (name: string) => act(async () => fireEvent.click(screen.getByTestId(name)));

test.each([
  ["a click", () => click("approval-allow")],
  ["the key a", () => act(async () => fireEvent.keyDown(screen.getByTestId("approval-card"), { key: "a" }))],
])("Allow asks the browser for the address in the press itself, by %s, and answers when it may", async (_how, allow) => {
  const opened = await open(waiting(page), () => Promise.resolve(true));
  expect(screen.getByTestId("card-origin").textContent).toContain("https://docs.example.org");
  await allow();
  expect(opened.requested).toEqual([{ address: url, isInPress: true }]);
  expect(answered(opened)).toMatchObject([{ name: "answerApproval", params: { answers: [{ call: page.id, decision: "allow" }] } }]);
});

test.each([
  ["says no", () => Promise.resolve(false)],
  ["may not be asked", () => Promise.reject(new Error("may only be called from a user input handler"))],
])("where the browser %s, nothing is answered, and the card stays and says so", async (_why, grants) => {
  const opened = await open(waiting(page), grants);
  await click("approval-allow");
  expect(answered(opened)).toEqual([]);
  expect(screen.getByTestId("card-origin-refused").textContent).toContain("https://docs.example.org");
  expect(screen.getByTestId<HTMLButtonElement>("approval-allow").disabled).toBe(false);
  await click("approval-deny");
  expect(answered(opened)).toMatchObject([{ params: { answers: [{ decision: "deny" }] } }]);
  expect(opened.requested).toHaveLength(1);
});

test("Deny asks the browser for nothing, and neither does a card without an address", async () => {
  const opened = await open(waiting(page), () => Promise.resolve(true));
  await click("approval-deny");
  expect(opened.requested).toEqual([]);
  cleanup();
  const other = await open(waiting(asking(editPlan)), () => Promise.resolve(true));
  expect(screen.queryByTestId("card-origin")).toBeNull();
  await click("approval-allow");
  expect([other.requested, answered(other).length]).toEqual([[], 1]);
});

const base = "http://192.0.2.7:11434/v1";
const failed = (more: Partial<TurnView> = {}) =>
  session("Go", [turn("Go", [step({ text: "" })], { status: "failed", canRetry: true, fault: { code: "origin_not_permitted", message: "no", hint: null, retryable: true, origin: base }, ...more })]);

test("Retry of a turn that failed for an address asks the browser for it first, in the press", async () => {
  const opened = await open(failed(), () => Promise.resolve(true));
  await click("retry");
  expect(opened.requested).toEqual([{ address: base, isInPress: true }]);
  expect(answered(opened)).toMatchObject([{ name: "resume" }]);
});

test("where the browser says no, the turn is not tried again, and it is said", async () => {
  const opened = await open(failed(), () => Promise.resolve(false));
  await click("retry");
  expect(answered(opened)).toEqual([]);
  expect(screen.getByTestId("receipt").textContent).toContain("http://192.0.2.7");
});

test("Retry of any other turn asks for nothing", async () => {
  const opened = await open(failed({ fault: { code: "network", message: "no", hint: null, retryable: true } }), () => Promise.resolve(false));
  await click("retry");
  expect([opened.requested, answered(opened).length]).toEqual([[], 1]);
});

test("a rule that was made on a card is said, with what it covers and how far", async () => {
  const rule = { id: "r", effect: "allow" as const, scope: "session" as const, target: { tool: "fs_edit", path: "src/\u202Esum.js" }, createdAt: 0, uses: 0, lastUsedAt: null };
  await open(waiting(asking(editPlan)), () => Promise.resolve(true), { answerApproval: { rules: [rule], lease: null } });
  await click("approval-allow");
  expect(screen.getByTestId("receipt").textContent).toBe("New rule (this session): fs_edit src/U+202Esum.js runs without asking");
});

test("a lease is asked for with the answer, and said when it was granted", async () => {
  const opened = await open(waiting(asking(editPlan)), () => Promise.resolve(true), { answerApproval: { rules: [], lease: { message: "granted" } } });
  await act(async () => fireEvent.click(screen.getByTestId("reach-lease").querySelector("input") as HTMLElement));
  await click("approval-allow");
  expect(answered(opened)).toMatchObject([{ params: { lease: { tiers: ["batch"], minutes: 15 } } }]);
  expect(opened.sent.some(({ name }) => name === "grantLease")).toBe(false);
  expect(screen.getByTestId("receipt").textContent).toContain("15 minutes");
});

test("a lease that is ended in the conversation is said to have ended", async () => {
  const lease = { id: "l", tiers: ["batch" as const], grantedAt: Date.now() - 1_000, until: Date.now() + 600_000, calls: 50, costUsd: null, used: 0, spentUsd: 0, unpriced: false, revoked: false };
  await open({ ...waiting(asking(editPlan)), leases: [lease] }, () => Promise.resolve(true));
  await click("lease-end");
  expect(screen.getByTestId("receipt").textContent).toContain("The lease has ended");
});

test.each([
  [{ kind: "subagent", session: "p", by: "c" } as const, "Sub-agent", true],
  [{ kind: "schedule", session: null, by: "s" } as const, "Scheduled run", false],
  [null, null, false],
])("a conversation that no person began says so, and leads to where it was: %j", async (origin, words, leads) => {
  await open({ ...waiting(asking(editPlan)), origin }, () => Promise.resolve(true));
  expect(screen.queryByTestId("origin-strip")?.querySelector("span")?.textContent ?? null).toBe(words);
  expect(screen.queryByTestId("to-parent") !== null).toBe(leads);
  expect(screen.queryByTestId("card-from")?.textContent.trim() ?? null).toBe(origin === null ? null : origin.kind === "schedule" ? "for a scheduled run" : "for a sub-agent");
  if (!leads) return;
  await click("to-parent");
  expect(location.hash).toContain("session=p");
});
