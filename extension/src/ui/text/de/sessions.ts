/** The list of sessions. */
import type { Catalogue } from "../catalogue.ts";

export const sessions: Catalogue["sessions"] = {
  landmark: "Sitzungen",
  title: "Sitzungen",
  search: "Sitzungen durchsuchen",
  none: "Noch keine Sitzungen",
  noneHint: "Aus dem, was du fragst, wird eine Sitzung. Sie bleibt in diesem Browser.",
  noMatch: "Keine Sitzung passt",
  rename: "Umbenennen",
  renameLabel: "Name der Sitzung",
  delete: "Löschen",
  deleted: (title) => `„${title}“ gelöscht`,
  more: (title) => `Mehr zu ${title}`,
  states: { idle: "", running: "Läuft", needs_you: "Braucht dich", complete: "Fertig", cancelled: "Angehalten", failed: "Fehlgeschlagen" },
};
