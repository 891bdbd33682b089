/** The top line. */
import type { Catalogue } from "../catalogue.ts";
import { plural } from "./numbers.ts";

export const header: Catalogue["header"] = {
  landmark: "Sitzung",
  newSession: "Neue Sitzung",
  sessions: "Alle Sitzungen",
  untitled: "Neue Sitzung",
  waitingElsewhere: (count) => `${plural(count, "andere Sitzung wartet", "andere Sitzungen warten")} auf dich`,
  storage: "Speicher",
  memoryOnly: "Privates Fenster: Sitzungen bleiben nur, bis es geschlossen wird.",
  views: "Ansichten dieser Sitzung",
  screens: { chat: "Chat", changes: "Änderungen", terminal: "Terminal", history: "Verlauf", settings: "Einstellungen", connection: "Verbindung" },
  openTab: "In einem Tab öffnen",
  keys: "Tasten",
};
