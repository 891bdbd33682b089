/** The keys that work everywhere, as the help shows them. */
import type { Catalogue } from "../catalogue.ts";

export const keys: Catalogue["keys"] = {
  title: "Tasten",
  anywhere: "Überall",
  help: "Diese Tasten",
  nextRegion: "Nächster Teil des Panels",
  previousRegion: "Voriger Teil",
  back: "Zurück zum Chat",
  newSession: "Neue Sitzung",
  history: "Im Verlauf suchen",
  settings: "Einstellungen",
  writing: "Beim Schreiben",
  ctrl: "Strg",
  send: "Senden",
  newLine: "Neue Zeile",
  steer: "Beim nächsten Schritt sagen, während der Agent arbeitet",
  stop: "Den Agenten anhalten",
  card: "Auf einer Freigabekarte",
  allow: "Erlauben",
  deny: "Ablehnen",
  note: "Mit Notiz ablehnen",
  edit: "Die Argumente ändern",
  parts: "Von Teil zu Teil",
};
