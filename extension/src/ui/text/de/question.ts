/** Questions of the agent. */
import type { Catalogue } from "../catalogue.ts";

export const question: Catalogue["question"] = {
  landmark: "Der Agent fragt",
  send: "Antwort senden",
  skip: "Darauf will ich nicht antworten",
  open: (link) => `${link} öffnen`,
  optional: (label) => `${label} (freiwillig)`,
  yes: "Ja",
  no: "Nein",
};
