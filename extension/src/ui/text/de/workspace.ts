/** The folder the agent works in. */
import type { Catalogue } from "../catalogue.ts";

export const workspace: Catalogue["workspace"] = {
  label: "Arbeitsordner",
  readOnly: "nur lesen",
  gone: "nicht da",
  loading: "Fragt den Host",
  none: "Noch kein Arbeitsordner",
  noneHint: "Der Agent arbeitet in einem Ordner und nirgends sonst. Füge deinen hinzu:",
  addCommand: "outrigger workspace add DIR",
  addHint: "Er erscheint hier von selbst.",
  addAnother: "Noch einen hinzufügen",
};
