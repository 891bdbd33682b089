/** How long something took, or has taken so far. */
import { useText } from "../text/use-text.ts";
import { formatDuration, formatRunning } from "./format-duration.ts";
import { useNow } from "./use-now.ts";

export function Elapsed({ from, to }: { from: number; to: number | null }) {
  const text = useText();
  const now = useNow(to === null ? 1000 : null);
  const span = Math.max(0, (to ?? now) - from);
  // A running clock counts whole seconds: tenths that jump about are noise.
  if (to === null && span < 1000) return null;
  return <span className="shrink-0 text-2xs text-soft tabular-nums">{to === null ? formatRunning(span, text) : formatDuration(span, text)}</span>;
}
