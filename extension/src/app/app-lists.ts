// The lists of the panel's frame, made from the rows of all sessions. Pure.
import type { SessionRow } from "../storage/storage.ts";
import { belongs, summaryOf } from "./library.ts";
import type { AppView, RecentWorkspace, WorkspaceView } from "./views.ts";

/** A menu that is longer is a list to search in. */
const RECENT = 10;

export function listsOf(rows: readonly SessionRow[], workspaces: readonly WorkspaceView[] | null): Pick<AppView, "sessions" | "recentWorkspaces"> {
  return {
    // What belongs to another session is shown with it, but for one that waits: nobody would find it there.
    sessions: rows.filter((row) => row.waiting > 0 || !belongs(row)).map(summaryOf),
    recentWorkspaces: recentOf(rows, workspaces),
  };
}

/** Newest first; those that are gone are left out as soon as the host has told which there are. */
function recentOf(rows: readonly SessionRow[], workspaces: readonly WorkspaceView[] | null): readonly RecentWorkspace[] {
  const recent = new Map<string, RecentWorkspace>();
  for (const row of rows) {
    const { workspace, updatedAt } = row;
    if (workspace === null || belongs(row)) continue;
    const known = recent.get(workspace);
    recent.set(workspace, { id: workspace, sessions: (known?.sessions ?? 0) + 1, lastUsedAt: Math.max(known?.lastUsedAt ?? 0, updatedAt) });
  }
  return [...recent.values()]
    .filter(({ id }) => workspaces === null || workspaces.some((workspace) => workspace.id === id && workspace.available))
    .toSorted((left, right) => right.lastUsedAt - left.lastUsedAt)
    .slice(0, RECENT);
}
