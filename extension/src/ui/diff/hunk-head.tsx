/** Above a change that can be left out: its box, which of how many it is, and where it begins. */
import { TickBox } from "../common/tick-box.tsx";
import { useText } from "../text/use-text.ts";
import type { Hunk } from "./hunk.ts";

export interface HunkTick {
  chosen: boolean;
  number: number;
  count: number;
  onToggle: () => void;
}

export function HunkHead({ hunk, tick }: { hunk: Hunk; tick: HunkTick }) {
  const text = useText();
  return (
    <label className="flex cursor-pointer items-center gap-2 bg-sunken px-2.5 py-1 font-sans text-2xs text-soft hover:text-ink">
      <TickBox data-hunk={hunk.id} data-testid="hunk-box" checked={tick.chosen} onChange={tick.onToggle} />
      <span className="flex-1">{text.cards.hunk(tick.number, tick.count)}</span>
      <span aria-hidden className="tabular-nums">{text.diff.line(hunk.new_start)}</span>
    </label>
  );
}
