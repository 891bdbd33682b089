// Row 74: recent workspaces, newest first, ten at most, with how many sessions; those that are gone are left out.
import { expect, test } from "vitest";
import type { SessionRow } from "../storage/storage.ts";
import { listsOf } from "./app-lists.ts";
import type { WorkspaceView } from "./views.ts";

const row = (id: string, workspace: string | null, updatedAt: number, more: Partial<SessionRow> = {}): SessionRow => ({ id, title: id, status: "complete", workspace, model: "m", createdAt: 0, updatedAt, waiting: 0, seq: 1, ...more });
const place = (id: string, available = true): WorkspaceView => ({ id, path: `/${id}`, isDefault: false, readOnly: false, available, reason: null });

test("by when they were used last, with what is theirs", () => {
  const rows = [row("1", "a", 1), row("2", "b", 5), row("3", "a", 9), row("4", null, 20), row("5", "gone", 30), row("6", "b", 40, { origin: { kind: "subagent", session: "2", by: "c" } })];
  expect(listsOf(rows, [place("a"), place("b"), place("gone", false)]).recentWorkspaces).toEqual([{ id: "a", sessions: 2, lastUsedAt: 9 }, { id: "b", sessions: 1, lastUsedAt: 5 }]);
  // Before the host has told, nothing is known to be gone.
  expect(listsOf(rows, null).recentWorkspaces?.map(({ id }) => id)).toEqual(["gone", "a", "b"]);
  expect(listsOf(Array.from({ length: 15 }, (_, at) => row(String(at), `w${at}`, at)), null).recentWorkspaces).toHaveLength(10);
});

test("a sub-agent is listed only while it waits: nobody would find its card", () => {
  const child = { origin: { kind: "subagent" as const, session: "1", by: "c" } };
  expect(listsOf([row("1", null, 1), row("2", null, 2, child), row("3", null, 3, { ...child, waiting: 1 })], null).sessions.map(({ id }) => id)).toEqual(["1", "3"]);
});
