/**
 * Which session is on the screen.
 *
 * At first the one that runs or waits, else the latest: opening the panel shows the live session. Null is a new one.
 */
import { useState } from "react";
import type { AppView } from "../../app/views.ts";

export function useChosenSession(app: AppView | null): [string | null, (id: string | null) => void] {
  const [chosen, choose] = useState<string | null | undefined>(undefined);
  if (app === null) return [null, choose];
  if (chosen === undefined) {
    const latestFirst = app.sessions.toSorted((a, b) => b.updatedAt - a.updatedAt);
    const live = latestFirst.find((session) => session.status === "running" || session.status === "needs_you");
    const first = (live ?? latestFirst[0])?.id ?? null;
    choose(first);
    return [first, choose];
  }
  return [chosen, choose];
}
