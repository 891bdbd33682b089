/** How long something took, or has taken so far. */
import { useText } from "../text/use-text.ts";
import { formatDuration } from "./format-duration.ts";
import { useNow } from "./use-now.ts";

export function Elapsed({ from, to }: { from: number; to: number | null }) {
  const text = useText();
  const now = useNow(to === null ? 1000 : null);
  // A running clock counts whole seconds: tenths that jump about are noise.
  const span = to === null ? Math.max(0, Math.floor((now - from) / 1000) * 1000) : to - from;
  if (to === null && span < 1000) return null;
  return <span className="shrink-0 text-2xs text-soft tabular-nums">{to === null ? text.tool.seconds(String(span / 1000)) : formatDuration(span, text)}</span>;
}
