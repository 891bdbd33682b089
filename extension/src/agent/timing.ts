// When a schedule is due: once, every so often, or by a cron line; within active hours, if it has some. Pure but for the local time zone.
import { Cron } from "croner";

export type Timing =
  | { readonly kind: "at"; readonly at: number }
  | { readonly kind: "interval"; readonly minutes: number }
  | { readonly kind: "cron"; readonly line: string };

/** From and until, in minutes of the local day; from after until goes over midnight. */
export interface ActiveHours {
  readonly from: number;
  readonly until: number;
}

/** A browser's alarms ring no more often. */
const LEAST_MINUTES = 1;

/** Null, or why this cannot be a timing. */
export function faultOfTiming(timing: Timing, now: number): string | null {
  switch (timing.kind) {
    case "at":
      if (!(timing.at > now)) return "the time is not in the future";
      return timing.at <= LATEST ? null : "the time is further away than any calendar";
    case "interval":
      if (!(timing.minutes >= LEAST_MINUTES)) return "it cannot be more often than once a minute";
      return timing.minutes <= MOST_MINUTES ? null : "it cannot be less often than once a year";
    case "cron":
      try {
        const cron = new Cron(timing.line, { mode: "5-part" });
        return cron.nextRun(new Date(now)) === null ? "this cron line never comes" : null;
      } catch {
        return `\`${timing.line}\` is no cron line of five fields`;
      }
  }
}

const MOST_MINUTES = 525_600;

/** The last moment a date can name. */
const LATEST = 8.64e15;

/** The next time after `now`; null: never again. */
export function nextRun(timing: Timing, now: number, hours: ActiveHours | null): number | null {
  for (let from = now, tries = 0; tries < 10_000; tries += 1) {
    const next = rawNext(timing, from);
    if (next === null || hours === null || isWithin(next, hours)) return next;
    if (timing.kind === "at") return null;
    from = next;
  }
  return null;
}

export function wordsOfTiming(timing: Timing): string {
  switch (timing.kind) {
    case "at":
      return "once";
    case "interval":
      return `every ${timing.minutes} minutes`;
    case "cron":
      return `by \`${timing.line}\``;
  }
}

export function isWithin(time: number, { from, until }: ActiveHours): boolean {
  const date = new Date(time);
  const minute = date.getHours() * 60 + date.getMinutes();
  return from <= until ? minute >= from && minute < until : minute >= from || minute < until;
}

function rawNext(timing: Timing, now: number): number | null {
  switch (timing.kind) {
    case "at":
      return timing.at > now ? timing.at : null;
    case "interval":
      return now + timing.minutes * 60_000;
    case "cron":
      return new Cron(timing.line, { mode: "5-part" }).nextRun(new Date(now))?.getTime() ?? null;
  }
}
