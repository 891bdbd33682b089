/** What a session changed. */
import type { Catalogue } from "../catalogue.ts";
import { plural } from "./numbers.ts";

export const changes: Catalogue["changes"] = {
  none: "Nichts wurde geändert",
  noneHint: "Dateien, die der Agent in dieser Sitzung ändert, stehen hier, samt dem Weg zurück.",
  allTurns: "Alle Runden",
  layout: "Wie Änderungen gezeigt werden",
  unified: "Untereinander",
  split: "Nebeneinander",
  elsewhere: "Anderer Zweig oder Unteragent",
  files: (count) => plural(count, "Datei", "Dateien"),
  commands: (count) => `${plural(count, "Befehl", "Befehle")} ausgeführt. Was Befehle ändern, ist hier nicht bekannt und wird nicht zurückgenommen.`,
  undo: "Rückgängig",
  undoFrom: "Ab hier rückgängig",
  redo: "Wiederherstellen",
  undoFile: (path) => `${path} zurücksetzen`,
  redoFile: (path) => `${path} wieder ändern`,
  isUndone: "zurückgenommen",
  isPartly: "teils zurückgenommen",
  did: {
    undo: (count) => `${plural(count, "Datei", "Dateien")} zurückgesetzt`,
    redo: (count) => `${plural(count, "Datei", "Dateien")} wieder geändert`,
    replaced: (count) => `${plural(count, "Datei", "Dateien")} wie vor dem Zurücknehmen`,
  },
  nothingDone: "Es war nichts zu tun",
  conflictTitle: (count) => `${plural(count, "Datei wurde", "Dateien wurden")} seither geändert`,
  conflictHint: "Noch ist nichts geschehen. Was nach dieser Runde geändert wurde, wird nur ersetzt, wenn du es sagst.",
  folder: "Ein Ordner",
  binary: "Kein Text",
  noLines: "Keine Zeile geändert",
  ops: { create: "neu", overwrite: "überschrieben", append: "angehängt", delete: "gelöscht", rename: "umbenannt", move: "verschoben", copy: "kopiert", mkdir: "neuer Ordner" },
};
