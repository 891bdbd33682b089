/** What is wrong with the place where sessions are kept. */
import { plural } from "./numbers.ts";

export const storage = {
  lost: "The browser lost what was stored here",
  lostBody: (sessions: number) => `Its database was damaged, and it began a new one. ${plural(sessions, "session is", "sessions are")} gone, with models, keys, rules and settings. Files on your disk are as they were; the host's journal still has what was changed.`,
  shut: "Your sessions cannot be opened",
  shutBody: (sessions: number) => `${plural(sessions, "session is", "sessions are")} in a database that the browser does not open. Make room on the disk, then start the browser again. What you do until then is kept only until the browser closes.`,
  since: "As of",
  noted: "Understood",
  waits: "Your sessions are here again as soon as it can be opened.",
};
