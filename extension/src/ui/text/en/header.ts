/** The top line. */
import { plural } from "./numbers.ts";

export const header = {
  landmark: "Session",
  newSession: "New session",
  sessions: "All sessions",
  untitled: "New session",
  waitingElsewhere: (count: number) => `${plural(count, "other session waits", "other sessions wait")} for you`,
  storage: "Storage",
  memoryOnly: "Private window: sessions are kept until it closes.",
  views: "Views of this session",
  screens: { chat: "Chat", changes: "Changes", terminal: "Terminal", history: "History", settings: "Settings", connection: "Connection" },
  openTab: "Open in a tab",
  keys: "Keys",
};
