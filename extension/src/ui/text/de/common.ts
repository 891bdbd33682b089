/** Words that many parts use. */
import type { Catalogue } from "../catalogue.ts";

export const common: Catalogue["common"] = {
  loading: "Lädt",
  now: "gerade eben",
  copy: "Kopieren",
  copied: "Kopiert",
  retry: "Noch einmal",
  refused: "Das hat nicht geklappt.",
  cancel: "Abbrechen",
  close: "Schließen",
  back: "Zurück",
  save: "Speichern",
  undo: "Rückgängig",
  brokenPart: "Dieser Teil lässt sich nicht anzeigen",
  noWorkspace: "Kein Arbeitsordner",
  nothing: "keine",
  chooseWorkspace: "Arbeitsordner wählen",
  chooseModel: "Modell wählen",
  /** Of a character that stands as its code. */
  hidden: { turns: "dreht die Richtung des Textes um", control: "ein Steuerzeichen", unseen: "ist nicht zu sehen", alike: "sieht aus wie ein anderes Zeichen" },
};
