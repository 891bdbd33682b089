/** The first screen of a new session. */
import type { Catalogue } from "../catalogue.ts";

export const firstRun: Catalogue["firstRun"] = {
  greeting: "Woran arbeiten wir?",
  intro: "Der Agent liest und sucht frei, fragt vor jeder Änderung, und alles, was er getan hat, bleibt hier nachzusehen.",
  suggestions: [
    { title: "Den fehlschlagenden Test reparieren und committen", task: "Repariere den fehlschlagenden Test und committe die Änderung" },
    { title: "Dieses Projekt erklären", task: "Erkläre, wie dieses Projekt aufgebaut ist" },
    { title: "Meine Änderungen prüfen", task: "Prüfe meine noch nicht committeten Änderungen" },
  ],
  suggested: "Vorschläge",
  way: "Was es zum Anfangen braucht",
  steps: { host: "Host", folder: "Ordner", model: "Modell" },
  done: "erledigt",
  demo: "Im Moment antwortet das Demo-Modell: eingebaut, ganz ohne Netz, nur um zu zeigen, wie es geht. Zum Arbeiten nimm einen Modellserver auf diesem Rechner oder den Schlüssel eines Anbieters.",
  addModel: "Modell von Hand hinzufügen",
};
