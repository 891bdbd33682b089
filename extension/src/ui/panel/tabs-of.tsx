/** The tabs of a session, with how much there is to see in each: counted here, so that what cannot be counted breaks the tabs alone. */
import type { SessionView } from "../../agent/session-view.ts";
import { changedPaths } from "../changes/changed-paths.ts";
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
  return <SessionTabs screen={screen} counts={{ changes: changedPaths(session).length, terminal: commandsIn(session).length }} onGo={onGo} onTab={onTab} />;
}
