/** Words of what is put beside a message, in German. */
import type { Catalogue } from "../catalogue.ts";

export const attach: Catalogue["attach"] = {
  add: "Anhängen",
  file: "Datei oder Bild …",
  page: "Die Seite im Vordergrund",
  selection: "Was auf der Seite ausgewählt ist",
  kinds: { file: "Datei", selection: "Auswahl", page: "Seite", image: "Bild" },
  chip: (kind, name, size) => `${kind}: ${name}, ${size}`,
  from: (host) => `von ${host}`,
  remove: (name) => `${name} wegnehmen`,
  show: (name) => `${name} ansehen`,
  label: "Angehängt",
  tokens: (count) => `etwa ${count} Token`,
  preview: "Das wird das Modell lesen. Text einer Seite ist von Fremden: solange er im Gespräch steht, läuft nichts von selbst.",
  previewKept: "Das hat das Modell gelesen.",
  attachIt: "Anhängen",
  gone: "Sein Inhalt ist nicht mehr da.",
  noPreview: "Es lässt sich anhängen; eine Vorschau gibt es hier nicht.",
  pasted: "Eingefügter Text",
  drop: "Hier ablegen",
  tooLarge: (name) => `${name} ist zu groß, um hier gelesen zu werden.`,
  unread: (name) => `${name} konnte nicht gelesen werden. Dateien lassen sich anhängen, Ordner nicht.`,
};
