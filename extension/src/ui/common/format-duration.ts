/** "350 ms", "2.4 s", "3 min 12 s", "1 h 20 min". */
import type { Catalogue } from "../text/catalogue.ts";

export function formatDuration(milliseconds: number, text: Catalogue): string {
  if (milliseconds < 1000) return text.tool.milliseconds(Math.round(milliseconds));
  const seconds = milliseconds / 1000;
  if (seconds < 59.5) return text.tool.seconds(seconds.toLocaleString(text.language.tag, seconds < 10 ? { minimumFractionDigits: 1, maximumFractionDigits: 1 } : { maximumFractionDigits: 0 }));
  return formatLong(Math.round(seconds), text);
}

/** As a clock counts that runs: whole seconds from the first one on. */
export function formatRunning(milliseconds: number, text: Catalogue): string {
  const seconds = Math.floor(milliseconds / 1000);
  return seconds < 60 ? text.tool.seconds(String(seconds)) : formatLong(seconds, text);
}

function formatLong(seconds: number, text: Catalogue): string {
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? text.tool.minutes(minutes, seconds % 60) : text.tool.hours(Math.floor(minutes / 60), minutes % 60);
}
