/** One change with its lines. Drawn again only when it changes itself: a plan may have thousands of lines, and a tick is of one change. */
import { memo } from "react";
import { classNames } from "../common/class-names.ts";
import { DiffLine } from "./diff-line.tsx";
import { HunkHead } from "./hunk-head.tsx";
import { type Hunk, numberLines } from "./hunk.ts";

interface HunkViewProps {
  hunk: Hunk;
  digits: number;
  /** A line above it. */
  divided: boolean;
  /** Where it can be left out: whether it is to be made, which of how many it is, and the way to change that. */
  chosen?: boolean;
  number?: number;
  count?: number;
  onToggle?: (hunk: string) => void;
}

export const HunkView = memo(function HunkView({ hunk, digits, divided, chosen = true, number = 0, count = 0, onToggle }: HunkViewProps) {
  return (
    <div className={divided ? "border-t border-dashed border-line" : ""}>
      {onToggle && <HunkHead hunk={hunk} tick={{ chosen, number, count, onToggle: () => onToggle(hunk.id) }} />}
      <div className={classNames(!chosen && "grayscale")}>
        {numberLines(hunk).map((line) => (
          <DiffLine key={line.place} line={line} digits={digits} struck={!chosen} />
        ))}
      </div>
    </div>
  );
});
