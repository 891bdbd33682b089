/** "350 ms", "2.4 s", "3 min 12 s". */
import type { Catalogue } from "../text/catalogue.ts";

export function formatDuration(milliseconds: number, text: Catalogue): string {
  if (milliseconds < 1000) return text.tool.milliseconds(Math.round(milliseconds));
  const seconds = milliseconds / 1000;
  if (seconds < 60) return text.tool.seconds(seconds.toLocaleString(text.language.tag, seconds < 10 ? { minimumFractionDigits: 1, maximumFractionDigits: 1 } : { maximumFractionDigits: 0 }));
  const whole = Math.round(seconds);
  return text.tool.minutes(Math.floor(whole / 60), whole % 60);
}
