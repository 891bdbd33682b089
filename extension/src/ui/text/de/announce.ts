/** What the announcer says. */
import type { Catalogue } from "../catalogue.ts";

export const announce: Catalogue["announce"] = {
  done: "Die Runde ist fertig.",
  failed: "Die Runde ist fehlgeschlagen.",
  cancelled: "Die Runde wurde angehalten.",
  paused: "Der Agent macht Pause und wartet auf dich.",
  asks: (question: string) => `Der Agent fragt dich: ${question}`,
  waiting: (what) => `Deine Freigabe wird gebraucht: ${what}`,
  elsewhere: {
    needs_you: (title) => `„${title}“ braucht dich.`,
    done: (title) => `„${title}“ ist fertig.`,
    failed: (title) => `„${title}“ ist fehlgeschlagen.`,
  },
};
