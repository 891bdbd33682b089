/** The screen that belongs to where one is. */
import { ChangesScreen } from "../changes/changes-screen.tsx";
import { ChatScreen } from "../chat/chat-screen.tsx";
import { ConnectionScreen } from "../connection/connection-screen.tsx";
import { History } from "../sessions/history.tsx";
import { HistoryScreen } from "../sessions/history-screen.tsx";
import { SettingsScreen } from "../settings/settings-screen.tsx";
import { TerminalScreen } from "../terminal/terminal-screen.tsx";
import { usePanel } from "./panel-context.ts";
import type { Screen } from "./place.ts";

export function ScreenOf({ screen }: { screen: Screen }) {
  const panel = usePanel();
  const { go } = panel;
  switch (screen) {
    case "changes":
      return <ChangesScreen />;
    case "terminal":
      return <TerminalScreen />;
    case "history":
      return <HistoryScreen />;
    case "settings":
      return <SettingsScreen />;
    case "connection":
      return <ConnectionScreen />;
    default:
      return <ChatScreen {...panel} onOpen={(session) => go({ screen: "chat", session })} onAddModel={() => go({ screen: "settings", part: "models/first" })} onAddWorkspace={() => go({ screen: "settings", part: "workspaces" })} onConnection={() => go({ screen: "connection" })} onSchedules={() => go({ screen: "settings", part: "schedules" })} />;
  }
}

/** Where there is room, the sessions stand beside everything else. */
export function SideList() {
  return <aside className="flex w-70 shrink-0 flex-col border-e border-line"><History /></aside>;
}
