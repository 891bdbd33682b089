// A profile's own interval: a schedule for the session of that profile that was chosen last.
//
// One for each profile, however many sessions it has: who begins ten conversations did not ask for ten heartbeats.
import type { Profile } from "../agent/profile.ts";
import type { SessionConfig } from "../wire/events.ts";
import type { Schedules } from "./schedules.ts";

/** What a run is told, beside the profile's own words. */
const TASK = "This is the heartbeat of your profile: it comes at its interval. Do what your instructions say is due now. Where nothing is due, say so in one sentence and end.";

/** The session has this profile from now on, and no other: what it had of others ends. */
export async function beat(schedules: Schedules, session: string, profile: Profile | null, config: SessionConfig): Promise<void> {
  const own = profile === null ? null : heartbeatOf(profile.id);
  for (const { id } of schedules.list().filter((each) => each.session === session && each.id !== own && isHeartbeat(each.id))) await schedules.remove(id);
  if (profile?.interval === undefined || own === null) return;
  await schedules.save({ id: own, title: profile.name, task: TASK, timing: { kind: "interval", minutes: profile.interval }, session, config, by: "user" });
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
