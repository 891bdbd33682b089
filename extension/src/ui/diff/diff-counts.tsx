/** "+3 −1": how many lines come and go. Colour helps; the signs say it. */
import { useText } from "../text/use-text.ts";

export function DiffCounts({ added, removed }: { added: number; removed: number }) {
  const text = useText();
  return (
    <span className="inline-flex shrink-0 gap-1.5 font-mono text-2xs font-medium tabular-nums">
      <span className="sr-only">{text.diff.summary(added, removed)}</span>
      {added > 0 && <span aria-hidden className="text-good">{text.diff.added(added)}</span>}
      {removed > 0 && <span aria-hidden className="text-bad">{text.diff.removed(removed)}</span>}
    </span>
  );
}
