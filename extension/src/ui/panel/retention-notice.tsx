/** Whoever never opens the history is told before sessions go, too: over whatever they do, once a day. */
import { useState } from "react";
import { later } from "../common/later.tsx";

const RetentionNote = later(async () => (await import("../sessions/retention-note.tsx")).RetentionNote, { room: false });

const SEEN = "outrigger.retention-seen";
const DAY_MS = 24 * 60 * 60_000;

export function RetentionNotice() {
  const [isSeen, setSeen] = useState(() => Date.now() - Number(localStorage.getItem(SEEN) ?? 0) < DAY_MS);
  if (isSeen) return null;
  const onLater = () => {
    localStorage.setItem(SEEN, String(Date.now()));
    setSeen(true);
  };
  return <div className="shrink-0 pt-2"><RetentionNote onLater={onLater} /></div>;
}
