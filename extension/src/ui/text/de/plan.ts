/** What the host says of a plan, in German. */
import type { Catalogue } from "../catalogue.ts";

export const plan: Catalogue["plan"] = {
  acts: {
    edit: (path, added, removed) => `${path} ändern (+${added} −${removed})`,
    create: (path, added, removed) => `${path} anlegen (+${added} −${removed})`,
    overwrite: (path, added, removed) => `${path} überschreiben (+${added} −${removed})`,
    append: (path, added, removed) => `An ${path} anhängen (+${added} −${removed})`,
    patch: (count, added, removed) => `${count} ${count === "1" ? "Datei" : "Dateien"} ändern (+${added} −${removed})`,
    run: (command) => `${command} ausführen`,
    commit: (count, branch) => `${count} ${count === "1" ? "Datei" : "Dateien"} auf ${branch} committen`,
    stage: (count) => `${count} ${count === "1" ? "Pfad" : "Pfade"} vormerken`,
    unstage: (count) => `${count} ${count === "1" ? "Pfad" : "Pfade"} nicht mehr vormerken`,
    remove: (path, bytes) => `${path} löschen (${bytes} Byte)`,
    folder: (path) => `Ordner ${path} anlegen`,
    restore: (count, from) => `${count} ${count === "1" ? "Datei" : "Dateien"} aus ${from} zurückholen`,
  },
  reasons: {
    batch: (tool) => `${tool} fragt, bevor es etwas ändert`,
    each: (tool) => `${tool} fragt jedes Mal`,
    commandBatch: "Dieser Befehl fragt, bevor er etwas ändert",
    commandEach: "Dieser Befehl fragt jedes Mal",
    configured: (tool) => `Die Konfiguration lässt ${tool} fragen`,
    protected: (path) => `${path} ist geschützt: Andere Programme richten sich danach`,
    unread: (path) => `${path} wird überschrieben, ohne dass gesagt ist, welche Fassung gelesen wurde`,
    executable: (path) => `${path} wird ausführbar`,
    shared: (branch) => `Auf ${branch} bauen auch andere auf`,
    amends: "Es ersetzt den letzten Commit",
    strangers: (who) => `Text von ${who} steht in diesem Gespräch, darum läuft nichts von selbst`,
  },
};
