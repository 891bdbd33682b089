/** When a schedule is due, in words. */
import type { Schedule } from "../../app/schedules.ts";
import type { Catalogue } from "../text/catalogue.ts";

export function timingWords({ timing, hours }: Pick<Schedule, "timing" | "hours">, text: Catalogue): string {
  const words = text.settings.schedules;
  const within = hours === null ? "" : ` (${clock(hours.from)}–${clock(hours.until)})`;
  switch (timing.kind) {
    case "at":
      return words.once;
    case "interval":
      return `${timing.minutes % 60 === 0 ? words.everyHours(timing.minutes / 60) : words.everyMinutes(timing.minutes)}${within}`;
    case "cron":
      return `${words.cron} ${timing.line}${within}`;
  }
}

/** Minutes of the day as `07:30`. */
export function clock(minutes: number): string {
  return `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
}

export function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return hours * 60 + minutes;
}
