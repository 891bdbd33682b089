/** What may happen without asking. */
import type { Catalogue } from "../catalogue.ts";

export const mode: Catalogue["mode"] = {
  label: "Was ohne Nachfrage geschehen darf",
  plan: "Planen",
  planHint: "Liest nur. Nichts wird geändert.",
  ask: "Fragen",
  askHint: "Fragt vor jeder Änderung.",
  accept_edits: "Bearbeiten",
  accept_editsHint: "Ändert Dateien von selbst. Fragt weiterhin vor Befehlen und vor dem Löschen.",
};
