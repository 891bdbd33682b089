// @vitest-environment happy-dom
// A search leads to a turn wherever it stands, also to one of a branch that is not shown.
import { act, cleanup, render } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { BranchView, SessionView } from "../../agent/session-view.ts";
import { app, connected } from "../gallery/basics.ts";
import { fakeClient, type SentIntent } from "../gallery/fake-client.ts";
import { session, turn } from "../gallery/parts.ts";
import { Panel } from "../panel/panel.tsx";

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  location.hash = "";
});

const shown = turn("As it is now", []);
const way = (id: string, turns: readonly string[], isCurrent: boolean): BranchView => ({ id, kind: isCurrent ? "main" : "edit", from: null, parent: null, at: 1, isCurrent, turns: turns.map((each) => ({ id: each, text: each, status: "complete", at: 1 })) });
const branches = [way("main", [shown.message.id], true), way("b1", ["m-other"], false)];

async function open(part: string, more: Partial<SessionView> = {}) {
  const sent: SentIntent[] = [];
  const view = { ...session("Two ways", [shown]), branches, ...more };
  location.hash = `session=${view.id}&part=${part}`;
  // The address has changed before the panel is there.
  await vi.advanceTimersByTimeAsync(50);
  await act(async () => render(<Panel client={fakeClient({ connection: connected, app, session: view }, sent)} />));
  await act(() => vi.advanceTimersByTimeAsync(500));
  return sent.filter(({ name }) => name === "selectBranch").map(({ params }) => params);
}

test("the branch that has it is shown, once; one that is shown, and one that is nowhere, change nothing", async () => {
  expect(await open("m-other")).toEqual([{ session: session("", []).id, branch: "b1" }]);
  cleanup();
  expect(await open(shown.message.id)).toEqual([]);
  cleanup();
  expect(await open("m-none")).toEqual([]);
});

test("while a turn runs it stays where it is", async () => {
  expect(await open("m-other", { status: "running" })).toEqual([]);
});
