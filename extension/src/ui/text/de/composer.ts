/** The place to write. */
import type { Catalogue } from "../catalogue.ts";

export const composer: Catalogue["composer"] = {
  landmark: "Nachricht",
  placeholders: {
    idle: "Beschreibe eine Änderung oder frage",
    running: "Der Agent arbeitet",
    needs_you: "Der Agent wartet auf deine Antwort",
    complete: "Wie geht es weiter?",
    cancelled: "Wie geht es weiter?",
    failed: "Wie geht es weiter?",
  },
  needsHost: "Verbinde zuerst den Host",
  needsWorkspace: "Wähle zuerst einen Ordner",
  send: "Senden",
  stop: "Anhalten",
  stopping: "Hält an",
  states: { idle: "", running: "Arbeitet, Esc hält an", needs_you: "Wartet auf dich", complete: "", cancelled: "", failed: "" },
  stopAgain: "Noch einmal Escape hält den Agenten an.",
};
