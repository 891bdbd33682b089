/** What is wrong with the place where sessions are kept. */
import type { Catalogue } from "../catalogue.ts";
import { plural } from "./numbers.ts";

export const storage: Catalogue["storage"] = {
  lost: "Der Browser hat verloren, was hier gespeichert war",
  lostBody: (sessions) => `Seine Datenbank war beschädigt, und er hat eine neue angefangen. ${plural(sessions, "Sitzung ist", "Sitzungen sind")} weg, dazu Modelle, Schlüssel, Regeln und Einstellungen. Dateien auf der Festplatte sind, wie sie waren; was geändert wurde, steht noch im Journal des Hosts.`,
  shut: "Deine Sitzungen lassen sich nicht öffnen",
  shutBody: (sessions) => `${plural(sessions, "Sitzung liegt", "Sitzungen liegen")} in einer Datenbank, die der Browser nicht öffnet. Mach Platz auf der Festplatte und starte den Browser neu. Was du bis dahin tust, bleibt nur, bis der Browser geschlossen wird.`,
  since: "Stand",
  noted: "Verstanden",
  waits: "Deine Sitzungen stehen wieder hier, sobald er sich öffnen lässt.",
};
