/** Tool cards. */
import type { Catalogue } from "../catalogue.ts";

export const tool: Catalogue["tool"] = {
  details: "Einzelheiten zeigen",
  states: {
    writing: "wird geschrieben",
    queued: "kommt noch",
    running: "läuft",
    waiting: "braucht dich",
    answered: "beantwortet",
    done: "fertig",
    failed: "fehlgeschlagen",
    denied: "abgelehnt",
    cancelled: "angehalten",
    dropped: "lief nie",
  },
  allowed: "Was erlaubt wurde",
  denied: "Was abgelehnt wurde",
  progress: "Fortschritt",
  note: "Deine Notiz",
  resultReplayed: "Ergebnis (vom Host aufbewahrt, nicht noch einmal ausgeführt)",
  parameters: "Parameter",
  result: "Ergebnis",
  output: "Ausgabe",
  error: "Fehler",
  hint: "Was helfen würde",
  skipped: (bytes) => `${bytes} ausgelassen`,
  milliseconds: (count) => `${count} ms`,
  seconds: (count) => `${count} s`,
  minutes: (minutes, seconds) => (seconds === 0 ? `${minutes} min` : `${minutes} min ${seconds} s`),
  hours: (hours, minutes) => (minutes === 0 ? `${hours} h` : `${hours} h ${minutes} min`),
};
