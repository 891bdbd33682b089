/** "3 min ago", in the person's language; the exact time on hover. */
import { useText } from "../text/use-text.ts";
import { useNow } from "./use-now.ts";

const units: [Intl.RelativeTimeFormatUnit, number][] = [["day", 86_400_000], ["hour", 3_600_000], ["minute", 60_000]];

/** Minutes are what it tells, so once a minute is enough. */
const TICK_MS = 60_000;

export function TimeAgo({ at }: { at: number }) {
  const text = useText();
  const now = useNow(TICK_MS);
  const span = Math.max(0, now - at);
  const [unit, size] = units.find(([, length]) => span >= length) ?? ["minute", 0];
  const words = new Intl.RelativeTimeFormat(text.language.tag, { numeric: "auto", style: "short" });
  return (
    <time dateTime={new Date(at).toISOString()} title={new Date(at).toLocaleString(text.language.tag)} className="shrink-0 whitespace-nowrap">
      {size === 0 ? text.common.now : words.format(-Math.floor(span / size), unit)}
    </time>
  );
}
