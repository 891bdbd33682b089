/** The conversation. */
import type { Catalogue } from "../catalogue.ts";
import { plural } from "./numbers.ts";

export const chat: Catalogue["chat"] = {
  log: "Gespräch",
  you: "Du",
  whole: "Alles zeigen",
  less: "Weniger zeigen",
  agent: "Outrigger",
  thinking: "Denkt nach",
  thought: "Gedanken",
  working: "Arbeitet",
  jump: "Zum Neuesten",
  steps: (count) => plural(count, "Schritt", "Schritte"),
  draft: "Hier brach die Antwort ab.",
  attempt: (number) => `Versuch ${number}`,
  retryIn: (seconds) => `Nächster Versuch in ${seconds} s`,
  addressRefused: (address: string) => `Der Browser darf ${address} nicht ansprechen, darum wurde es nicht noch einmal versucht. „Noch einmal“ fragt wieder.`,
  retryNow: "Jetzt",
  retryCancel: "Anhalten",
  goOn: "Weiter",
  linkTo: (address) => `Öffnet ${address}`,
  image: (description) => `Bild nicht geladen: ${description}`,
  turnState: { running: "Läuft", needs_you: "Braucht dich", complete: "Fertig", cancelled: "Angehalten", failed: "Fehlgeschlagen" },
  tokens: (input, output) => `${input} rein, ${output} raus`,
};
