/** How full the model's window is, as a pie; where its size is not known, how much there is. Says the same in words. */
import type { ContextMeter } from "../../agent/meter.ts";
import { formatCount } from "../../lib/format-count.ts";
import { formatShare } from "../common/format-share.ts";
import { useText } from "../text/use-text.ts";

interface ContextPieProps {
  context: ContextMeter;
  onOpen: () => void;
}

const look: Record<ContextMeter["level"], string> = { ok: "text-accent", warning: "text-warn", danger: "text-bad" };

/** The pie is a stroke as thick as its radius: a circle of 25 units round is a full one of 100 dashes of a quarter. */
const AROUND = 25.1327;

export function ContextPie({ context, onOpen }: ContextPieProps) {
  const text = useText();
  const { tokens, window, share, level } = context;
  // Nothing was counted, and of nothing: no sign of it.
  if (share === null && tokens === 0) return null;
  const label = window === null || share === null ? text.meter.labelUnknown(formatCount(tokens, text.language.tag)) : text.meter.label(formatCount(tokens, text.language.tag), formatCount(window, text.language.tag), formatShare(share, text.language.tag));
  return (
    <button type="button" data-testid="context-meter" data-level={level} data-share={share ?? ""} aria-label={label} title={label} onClick={onOpen} className={`inline-flex h-7 shrink-0 items-center gap-1 rounded-md px-1.5 text-2xs tabular-nums hover:bg-sunken ${look[level]}`}>
      {share === null ? (
        // Without a window a ring would be a sign of nothing.
        <span className="text-soft">{formatCount(tokens, text.language.tag)}</span>
      ) : (
        <svg aria-hidden width="16" height="16" viewBox="0 0 20 20" className="-rotate-90">
          <circle cx="10" cy="10" r="8.5" fill="none" stroke="currentColor" strokeWidth="1.5" opacity="0.5" />
          <circle cx="10" cy="10" r="4" fill="none" stroke="currentColor" strokeWidth="8" strokeDasharray={`${Math.min(1, share) * AROUND} ${AROUND}`} />
        </svg>
      )}
      {level !== "ok" && share !== null && <span className="tiny:sr-only">{formatShare(share, text.language.tag)}</span>}
    </button>
  );
}
