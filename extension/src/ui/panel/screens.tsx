/** The screen that belongs to where one is. The chat is there at once; the others are loaded after it. */
import { useMemo } from "react";
import { ChatScreen } from "../chat/chat-screen.tsx";
import { later } from "../common/later.tsx";
import { usePanel } from "./panel-context.ts";
import type { Screen } from "./place.ts";

export { loadLater } from "../common/later.tsx";

const ChangesScreen = later(async () => (await import("../changes/changes-screen.tsx")).ChangesScreen);
const ConnectionScreen = later(async () => (await import("../connection/connection-screen.tsx")).ConnectionScreen);
const History = later(async () => (await import("../sessions/history.tsx")).History);
const HistoryScreen = later(async () => (await import("../sessions/history-screen.tsx")).HistoryScreen);
export const KeysSheet = later(async () => (await import("./keys-sheet.tsx")).KeysSheet, { room: false });
const SettingsScreen = later(async () => (await import("../settings/settings-screen.tsx")).SettingsScreen);
const TerminalScreen = later(async () => (await import("../terminal/terminal-screen.tsx")).TerminalScreen);

export function ScreenOf({ screen }: { screen: Screen }) {
  const panel = usePanel();
  const { go, place } = panel;
  const found = useMemo(() => (place.screen === "chat" && place.part !== null ? { turn: place.part } : null), [place]);
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
      return <ChatScreen {...panel} found={found} onOpen={(session) => go({ screen: "chat", session })} onAddModel={() => go({ screen: "settings", part: "models/first" })} onAddWorkspace={() => go({ screen: "settings", part: "workspaces" })} onConnection={() => go({ screen: "connection" })} onSchedules={() => go({ screen: "settings", part: "schedules" })} />;
  }
}

/** Where there is room, the sessions stand beside everything else. */
export function SideList() {
  return <aside className="flex w-70 shrink-0 flex-col border-e border-line"><History /></aside>;
}
