/** The folder the agent works in. */
import type { Catalogue } from "../catalogue.ts";

export const workspace: Catalogue["workspace"] = {
  label: "Arbeitsordner",
  readOnly: "nur lesen",
  gone: "nicht da",
  loading: "Sucht",
  noneShort: "Kein Ordner",
  none: "Noch kein Ordner",
  noneHint: "Der Agent arbeitet in einem Ordner und nirgends sonst. Wähle deinen.",
  addCommand: "outrigger workspace add DIR",
  addHint: "Er erscheint hier von selbst.",
  addAnother: "Ordner hinzufügen",
  pick: "Ordner wählen",
  dialogOpen: "Der Ordnerdialog des Systems ist offen. Vielleicht steht er hinter diesem Fenster.",
  byCommand: "Lieber mit einem Befehl",
  added: (name) => `${name} ist jetzt ein Arbeitsordner`,
  known: (name) => `${name} war schon ein Arbeitsordner`,
  pickFaults: {
    no_dialog: "Dieses System zeigt keinen Ordnerdialog. Dieser Befehl tut dasselbe:",
    dialog_failed: "Der Ordnerdialog ließ sich nicht zeigen. Dieser Befehl tut dasselbe:",
    busy: "Ein Ordnerdialog ist schon offen. Schließe ihn zuerst ab oder nimm den Befehl:",
    not_allowed: "Die Konfiguration erlaubt dem Panel nicht, Ordner hinzuzufügen. Dieser Befehl tut es:",
    config: "Die Konfiguration lässt sich von hier nicht ändern. Dieser Befehl sagt, warum:",
  },
};
