/** The tabs of a session, with how much there is to see in each: counted here, so that what cannot be counted breaks the tabs alone. */
import { useMemo } from "react";
import type { SessionView } from "../../agent/session-view.ts";
import { changedPaths } from "../changes/changed-paths.ts";
import { useSteady } from "../common/use-steady.ts";
import { commandsIn } from "../terminal/outcome-of.ts";
import type { Screen } from "./place.ts";
import { SessionTabs } from "./session-tabs.tsx";

interface TabsOfProps {
  session: SessionView;
  screen: Screen;
  onGo: (screen: Screen) => void;
  onTab: (() => void) | null;
}

export function TabsOf({ session, screen, onGo, onTab }: TabsOfProps) {
  const changes = changedPaths(session).length;
  const terminal = commandsIn(session).length;
  const counts = useMemo(() => ({ changes, terminal }), [changes, terminal]);
  const open = useSteady(() => onTab?.());
  return <SessionTabs screen={screen} counts={counts} onGo={onGo} onTab={onTab === null ? null : open} />;
}
