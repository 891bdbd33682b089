/** A hunk of a unified diff as the host plans it, and its lines with their numbers on both sides. */
export interface Hunk {
  id: string;
  old_start: number;
  old_lines: number;
  new_start: number;
  new_lines: number;
  lines: string[];
}

export type LineKind = "same" | "added" | "removed" | "note";

export interface NumberedLine {
  /** The place in the hunk. */
  place: number;
  kind: LineKind;
  number: number | null;
  text: string;
}

/** One number a line is enough at 360 px: the old one for what goes, the new one for the rest. */
export function numberLines(hunk: Hunk): NumberedLine[] {
  let before = hunk.old_start;
  let after = hunk.new_start;
  return hunk.lines.map((line, place) => {
    const text = line.slice(1);
    switch (line[0]) {
      case "+":
        return { place, kind: "added", number: after++, text };
      case "-":
        return { place, kind: "removed", number: before++, text };
      case "\\":
        return { place, kind: "note", number: null, text: text.trimStart() };
      default:
        before++;
        return { place, kind: "same", number: after++, text };
    }
  });
}
