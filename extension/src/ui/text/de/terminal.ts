/** The commands of a session. */
import type { Catalogue } from "../catalogue.ts";

export const terminal: Catalogue["terminal"] = {
  none: "Noch kein Befehl gelaufen",
  noneHint: "Was der Agent in dieser Sitzung ausführt, steht hier, mit der Ausgabe, sobald sie kommt.",
  output: "Ausgabe",
  copy: "Ausgabe kopieren",
  kill: "Diesen Befehl beenden",
  folder: "in",
  silent: "Noch keine Ausgabe",
  printedNothing: "Keine Ausgabe",
  killAsked: "Der Befehl wird beendet; der Agent sieht, dass du es warst.",
  exit: (code) => `Exit ${code}`,
  ended: "beendet",
  killed: "abgebrochen",
  killedBy: (signal) => `beendet durch ${signal}`,
  states: { running: "läuft", background: "im Hintergrund", failed: "nicht startbar", waiting: "wartet auf dich", denied: "abgelehnt", cancelled: "angehalten" },
};
