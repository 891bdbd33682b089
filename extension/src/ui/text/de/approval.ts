/** The approval card and the bar that says what waits. */
import type { Catalogue } from "../catalogue.ts";
import { plural } from "./numbers.ts";

export const approval: Catalogue["approval"] = {
  bar: (what) => `Wartet auf dich: ${what}`,
  more: (count) => `und ${count} weitere`,
  show: "Zeigen",
  title: (tool) => `${tool} freigeben?`,
  groupTitle: (count) => `${plural(count, "Änderung", "Änderungen")} freigeben?`,
  inWorkspace: (workspace) => `in ${workspace}`,
  why: "Warum gefragt wird",
  undoable: "rücknehmbar",
  notUndoable: "nicht rücknehmbar",
  allow: "Erlauben",
  allowSome: (chosen, count) => (chosen === count ? "Alle erlauben" : `${chosen} von ${count} erlauben`),
  deny: "Ablehnen",
  denyAll: "Ablehnen",
  denyAllSure: "Alle?",
  denyNote: "Notiz",
  note: "Sag dem Agenten, was er stattdessen tun soll",
  sendNote: "Ablehnen und senden",
  unread: (count) => `${plural(count, "Teil", "Teile")} noch nicht gelesen`,
  openAll: "Alle öffnen",
  answered: "Deine Antwort wird gesendet",
  command: { program: "Programm", arguments: "Argumente", folder: "Ordner", environment: "Umgebung", network: "Netz", sandbox: "Sandbox", timeout: "Endet nach", on: "erlaubt", off: "aus", passedOn: "vom Host übernommen, wird nicht gezeigt", workspaceRoot: "oberster Ordner", blockedReadable: "Dieser Befehl kann Dateien lesen, die für den Agenten gesperrt sind." },
  stage: { stage: "Für den nächsten Commit vormerken", unstage: "Aus dem nächsten Commit herausnehmen" },
  commit: { message: "Nachricht", author: "Autor", branch: "Branch", amend: "ersetzt den letzten Commit", hooks: "Hooks, die laufen werden", noHooks: "Es laufen keine Hooks", unsigned: "Signieren ist eingestellt, aber dieser Commit wird nicht signiert." },
  files: { create: "neu", overwrite: "überschreiben", append: "anhängen", edit: "ändern", delete: "löschen", rename: "neuer Name", copy: "Kopie", createFolder: "neuer Ordner", from: "von", entries: (count) => plural(count, "Eintrag", "Einträge"), executable: "ausführbar", ordinary: "gewöhnliche Datei", link: "symbolischer Link", submodule: "Submodul", permissions: (mode) => `Rechte ${mode}`, bytes: (before, after) => `${before} → ${after}`, noLines: "Keine Zeile ändert sich", allGoes: "Alles davon wird gelöscht", notShown: "Der Inhalt wird nicht Zeile für Zeile gezeigt", count: (count) => plural(count, "Datei", "Dateien") },
};
