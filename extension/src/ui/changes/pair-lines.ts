/** The lines of a hunk side by side: what goes stands beside what comes in its place. */
import { type Hunk, type NumberedLine, numberLines } from "../diff/hunk.ts";

export interface LinePair {
  readonly place: number;
  readonly before: NumberedLine | null;
  readonly after: NumberedLine | null;
}

export function pairLines(hunk: Hunk): readonly LinePair[] {
  const pairs: LinePair[] = [];
  let removed: NumberedLine[] = [];
  let added: NumberedLine[] = [];
  const flush = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at += 1) pairs.push({ place: pairs.length, before: removed[at] ?? null, after: added[at] ?? null });
    removed = [];
    added = [];
  };
  let shift = hunk.old_start - hunk.new_start;
  for (const line of numberLines(hunk)) {
    if (line.kind === "removed") {
      // After lines that came, what goes begins another change.
      if (added.length > 0) flush();
      removed.push(line);
      shift += 1;
    } else if (line.kind === "added") {
      added.push(line);
      shift -= 1;
    } else {
      flush();
      pairs.push({ place: pairs.length, before: { ...line, number: line.number === null ? null : line.number + shift }, after: line });
    }
  }
  flush();
  return pairs;
}
