// Tasks that begin by themselves: stored, listed with their next time, paused, changed, removed; woken by the browser's alarms.
//
// Each run is a session of its own, with the settings that were fixed when the schedule was made: nothing of it comes into the
// conversation that made it, and what it may not do by itself waits for a person.
import type { SessionConfig } from "../agent/events.ts";
import type { Profile } from "../agent/profile.ts";
import { faultOfTiming, nextRun, type ActiveHours, type Timing } from "../agent/timing.ts";
import type { ScheduleKeeper } from "../agent/world.ts";
import type { Storage } from "../storage/storage.ts";
import type { ChildSessions } from "./child-sessions.ts";
import { beat } from "./heartbeats.ts";
import { IntentFault } from "./intent-fault.ts";

export interface Schedule {
  readonly id: string;
  readonly title: string;
  readonly task: string;
  readonly timing: Timing;
  readonly hours: ActiveHours | null;
  /** What became due while the browser was closed. */
  readonly missed: "run_once" | "skip";
  /** The conversation that made it, or null. */
  readonly session: string | null;
  readonly config: SessionConfig;
  readonly enabled: boolean;
  readonly by: "model" | "user";
  /** Null: never again. */
  readonly nextAt: number | null;
  readonly lastAt: number | null;
  readonly runs: number;
}

export interface SchedulesParts {
  readonly storage: Storage;
  readonly children: ChildSessions;
  readonly now: () => number;
  /** Wakes the background; null is no alarm. */
  readonly setAlarm: (at: number | null) => void;
  readonly onChange: () => void;
}

const SETTING = "schedules";

/** Later than this after its time a run counts as missed: an alarm may ring up to a minute late. */
const MISSED_MS = 5 * 60_000;

export class Schedules implements ScheduleKeeper {
  readonly #parts: SchedulesParts;
  #all: readonly Schedule[] = [];
  #isRead = false;
  #writing: Promise<void> = Promise.resolve();
  #ticking: Promise<void> = Promise.resolve();

  constructor(parts: SchedulesParts) {
    this.#parts = parts;
  }

  /** Nothing begins before `settle` is over. */
  async load(settle: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    await this.#inTurn(() => this.#read());
    await settle();
    await this.tick();
  }

  beat(session: string, profile: Profile, config: SessionConfig): Promise<void> {
    return beat(this, session, profile, config);
  }

  list(): readonly Schedule[] {
    return this.#all;
  }

  async has(id: string): Promise<boolean> {
    if (!this.#isRead) await this.#inTurn(() => this.#read());
    return this.#all.some((each) => each.id === id);
  }

  /** A new one, or another version of one that is there. The same id twice is one schedule: a call that is made again after a restart makes nothing twice. */
  async save(draft: Pick<Schedule, "id" | "title" | "task" | "timing" | "config" | "by"> & Partial<Pick<Schedule, "hours" | "missed" | "session" | "enabled">>): Promise<void> {
    const now = this.#parts.now();
    const fault = faultOfTiming(draft.timing, now);
    if (fault !== null) throw new IntentFault({ code: "bad_schedule", message: `This is no schedule: ${fault}.`, hint: "Correct it and try again.", retryable: false });
    await this.#write((all) => {
      const known = all.find(({ id }) => id === draft.id);
      const made: Schedule = { hours: null, missed: "run_once", session: null, enabled: true, lastAt: null, runs: 0, ...known, ...draft, nextAt: null };
      // Saved again with the same times, it comes when it was to come.
      const isSame = known?.enabled === true && JSON.stringify([known.timing, known.hours]) === JSON.stringify([made.timing, made.hours]);
      const nextAt = isSame ? known.nextAt : nextRun(made.timing, now, made.hours);
      return [...all.filter(({ id }) => id !== draft.id), { ...made, nextAt: made.enabled ? nextAt : null }];
    });
  }

  async enable(id: string, enabled: boolean): Promise<void> {
    await this.#write((all) => all.map((each) => (each.id === id ? { ...each, enabled, nextAt: enabled ? nextRun(each.timing, this.#parts.now(), each.hours) : null } : each)));
  }

  async remove(id: string): Promise<void> {
    await this.#write((all) => all.filter((each) => each.id !== id));
  }

  /** Begins what is due. A run is named by its schedule and its time, so that no restart begins it twice. */
  tick(): Promise<void> {
    // One after another: two alarms at once count a run once.
    this.#ticking = this.#ticking.then(() => this.#tick()).catch(() => {});
    return this.#ticking;
  }

  async #tick(): Promise<void> {
    const now = this.#parts.now();
    for (const schedule of this.#all) {
      const nextAt = soonest(schedule, now);
      if (nextAt !== schedule.nextAt) await this.#write((all) => all.map((each) => (each.id === schedule.id ? { ...each, nextAt } : each)));
      if (!schedule.enabled || nextAt === null || nextAt > now) continue;
      // One after another: a run that still works or waits for a person is not joined by the next.
      const isWanted = (now - nextAt <= MISSED_MS || schedule.missed === "run_once") && !(await this.#isUnderWay(schedule));
      // One that cannot begin is tried at the next alarm, and keeps no other from beginning.
      if (isWanted && !(await this.#begin(schedule, nextAt))) continue;
      const ran = isWanted ? { lastAt: nextAt, runs: schedule.runs + 1 } : {};
      await this.#write((all) => all.map((each) => (each.id === schedule.id ? { ...each, ...ran, nextAt: nextRun(each.timing, now, each.hours) } : each)));
    }
    this.#arm();
  }

  /** Its last run, if it is not over. One that is due a second time, after a restart, is itself. */
  async #isUnderWay({ id, lastAt }: Schedule): Promise<boolean> {
    if (lastAt === null) return false;
    const last = (await this.#parts.storage.listSessions()).find((row) => row.id === runId(id, lastAt));
    return last !== undefined && last.deletedAt === undefined && (last.status === "running" || last.status === "needs_you");
  }

  async #begin({ id, session, task, config }: Schedule, at: number): Promise<boolean> {
    try {
      await this.#parts.children.ensure({ session: runId(id, at), origin: { kind: "schedule", session, by: id }, task, config });
      return true;
    } catch {
      return false;
    }
  }

  #write(change: (all: readonly Schedule[]) => readonly Schedule[]): Promise<void> {
    return this.#inTurn(async () => {
      // A call that is made again at a start may come before all was read: what is stored must not be lost by it.
      if (!this.#isRead) await this.#read();
      const next = change(this.#all);
      await this.#parts.storage.saveSetting(SETTING, next);
      this.#all = next;
      this.#arm();
      this.#parts.onChange();
    });
  }

  #inTurn(act: () => Promise<void>): Promise<void> {
    const mine = this.#writing.then(act);
    this.#writing = mine.catch(() => {});
    return mine;
  }

  async #read(): Promise<void> {
    const stored = await this.#parts.storage.readSetting(SETTING);
    this.#all = Array.isArray(stored) ? (stored as Schedule[]) : [];
    this.#isRead = true;
  }

  #arm(): void {
    const times = this.#all.flatMap(({ enabled, nextAt }) => (enabled && nextAt !== null ? [nextAt] : []));
    this.#parts.setAlarm(times.length === 0 ? null : Math.min(...times));
  }
}

function runId(schedule: string, at: number): string {
  return `${schedule}-${at.toString(36)}`;
}

/** A clock that went back must not put a run off by as much. */
function soonest({ nextAt, timing, hours, enabled }: Schedule, now: number): number | null {
  if (!enabled || nextAt === null || nextAt <= now || timing.kind === "at") return nextAt;
  const next = nextRun(timing, now, hours);
  return next === null ? nextAt : Math.min(nextAt, next);
}
