/** The page after the install. */
import type { Catalogue } from "../catalogue.ts";

export const welcome: Catalogue["welcome"] = {
  title: "Outrigger ist installiert",
  intro: "Es arbeitet in einem Panel am Rand des Fensters, neben dem, was du gerade ansiehst.",
  next: "Das Panel führt dich dann durch den Rest: das Programm auf deinem Rechner, einen Ordner, ein Modell.",
  later: "So findest du es wieder",
  isPinned: "Erledigt: Sein Knopf steht in der Symbolleiste.",
  chromium: {
    open: "Seitenleiste öffnen",
    isOpen: "Das Panel ist offen, am Rand dieses Fensters. Diesen Tab kannst du schließen.",
    list: "Drück auf das Puzzleteil rechts neben der Adresszeile.",
    pin: "Drück auf die Nadel neben Outrigger: Dann bleibt sein Knopf in Sicht.",
    press: "Sein Knopf öffnet und schließt das Panel, in jedem Tab.",
  },
  firefox: {
    open: "Seitenleiste öffnen",
    isOpen: "Die Seitenleiste ist offen, am Rand dieses Fensters. Diesen Tab kannst du schließen.",
    list: "Drück auf das Puzzleteil rechts neben der Adresszeile.",
    pin: "Drück auf das Zahnrad neben Outrigger und wähle „An Symbolleiste anheften“: Dann bleibt sein Knopf in Sicht.",
    press: "Sein Knopf öffnet und schließt die Seitenleiste, in jedem Tab.",
  },
};
