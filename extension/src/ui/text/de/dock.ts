/** Words of what stands above and in the message box, in German. */
import type { Catalogue } from "../catalogue.ts";

export const dock: Catalogue["dock"] = {
  queue: "Wartet darauf, gesagt zu werden",
  queueCount: (count) => (count === 1 ? "1 Nachricht wartet" : `${count} Nachrichten warten`),
  kinds: { queue: "Am Ende", steer: "Nächster Schritt" },
  kindHints: { queue: "Wird gesagt, wenn die Runde vorbei ist", steer: "Wird beim nächsten Schritt gesagt, während die Runde läuft" },
  become: { queue: "Lieber am Ende sagen", steer: "Lieber beim nächsten Schritt sagen" },
  edit: "Ändern",
  editLabel: "Wartende Nachricht",
  up: "Nach oben",
  down: "Nach unten",
  remove: "Entfernen",
  more: (message) => `Mehr zu „${message}“`,
  sendNow: "Jetzt senden",
  sendQueue: "Ans Ende der Runde stellen",
  sendSteer: "Lenken: beim nächsten Schritt sagen",
  hint: "Ergänzen (Strg+Enter: sofort)",
  hintMac: "Ergänzen (⌘ Enter: sofort)",
  paused: (why) => `Angehalten: ${why}`,
  needsChild: (what) => `Ein Unteragent wartet auf dich: ${what}`,
  todo: "Zu tun",
  todoCount: (done, count) => `${done} von ${count} erledigt`,
  todoStates: { pending: "offen", in_progress: "in Arbeit", done: "erledigt" },
  nearing: {
    step_cap: (share) => `${share} der Schritte dieser Runde sind verbraucht`,
    cost_cap: (share) => `${share} des Geldes dieser Runde sind ausgegeben`,
    time_cap: (share) => `${share} der Zeit dieser Runde sind um`,
    same_failure: () => "Derselbe Aufruf scheitert immer wieder",
    no_progress: () => "Seit einer Weile ändert sich nichts",
    context_full: (share) => `${share} des Fensters sind voll`,
  },
};
