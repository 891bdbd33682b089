// A profile's own interval: a schedule for the session of that profile that was chosen last.
//
// One for each profile, however many sessions it has: who begins ten conversations did not ask for ten heartbeats.
import type { Profile } from "../agent/profile.ts";
import type { SessionConfig } from "../wire/events.ts";
import type { Schedules } from "./schedules.ts";

/** What a run is told, beside the profile's own words. */
const TASK = "This is the heartbeat of your profile: it comes at its interval. Do what your instructions say is due now. Where nothing is due, say so in one sentence and end.";

/** Made before the session is written to be of this profile: whatever dies in between, `endStrayBeats` finds what is not wanted. */
export async function beat(schedules: Schedules, session: string, profile: Profile, config: SessionConfig): Promise<void> {
  if (profile.interval === undefined) return;
  await schedules.save({ id: heartbeatOf(profile.id), title: profile.name, task: TASK, timing: { kind: "interval", minutes: profile.interval }, session, config, by: "user" });
}

/** What the session had of other profiles ends. */
export async function endOtherBeats(schedules: Schedules, session: string, profile: string | undefined): Promise<void> {
  const own = profile === undefined ? null : heartbeatOf(profile);
  for (const { id } of schedules.list().filter((each) => each.session === session && each.id !== own && isHeartbeat(each.id))) await schedules.remove(id);
}

/** After a start: those whose session is not of their profile, or is not there (null). */
export async function endStrayBeats(schedules: Schedules, configOf: (session: string) => Promise<SessionConfig | null>): Promise<void> {
  for (const { id, session } of schedules.list().filter((each) => isHeartbeat(each.id))) {
    // What cannot be read now, because another window has it, is left as it is.
    const config = session === null ? null : await configOf(session).catch(() => undefined);
    if (config !== undefined && (config?.profile === undefined || id !== heartbeatOf(config.profile))) await schedules.remove(id);
  }
}

/** The profile was saved or removed: one that runs follows. What was cancelled is not begun by it. */
export async function retime(schedules: Schedules, id: string, interval: number | undefined): Promise<void> {
  const running = schedules.list().find((each) => each.id === heartbeatOf(id));
  if (running === undefined) return;
  if (interval === undefined) await schedules.remove(running.id);
  else await schedules.save({ ...running, timing: { kind: "interval", minutes: interval } });
}

/** The session is gone. */
export async function endBeats(schedules: Schedules, session: string): Promise<void> {
  for (const { id } of schedules.list().filter((each) => each.session === session && isHeartbeat(each.id))) await schedules.remove(id);
}

function heartbeatOf(profile: string): string {
  return `heartbeat-${profile}`;
}

function isHeartbeat(schedule: string): boolean {
  return schedule.startsWith("heartbeat-");
}
