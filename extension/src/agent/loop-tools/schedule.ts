// Makes a schedule: a task that begins by itself later. The person sees its whole text and approves it first.
import { z } from "zod";
import { canonical } from "../../lib/canonical.ts";
import { modeOf } from "../circumstances.ts";
import { faultOfTiming, nextRun, wordsOfTiming, type ActiveHours, type Timing } from "../timing.ts";
import { done, failure, loopTool } from "./loop-tool.ts";

const CLOCK = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, "a time of day, as 09:00");

const PARAMS = z.object({
  title: z.string().min(1).max(100),
  task: z.string().min(1).describe("What to do, with all that must be known"),
  at: z.string().optional().describe("Once: an ISO 8601 time"),
  every_minutes: z.number().min(1).max(525_600).optional(),
  cron: z.string().max(100).optional().describe("Five fields, in the user's time zone"),
  active_hours: z.object({ from: CLOCK, until: CLOCK }).optional().describe("Only begins between these times of the user's day; may go over midnight"),
  missed: z.enum(["run_once", "skip"]).default("run_once").describe("What became due while the browser was closed"),
});

/** So many are told on the card: enough to see what a cron line means. */
const TOLD_RUNS = 3;

export const schedule = loopTool({
  name: "schedule",
  description: "Makes a task that begins by itself later: once at a time, every so many minutes, or by a cron line. Each run is a conversation of its own and sees nothing of this one.",
  params: PARAMS,
  asks: true,
  notFor: ["subagent", "side", "schedule"],
  // What it will be allowed to do, and where, is not in its arguments: the card says so, and the answer holds for it.
  preview: async (params, { loop, turn, call }) => ({
    kind: "call",
    arguments: [
      ...Object.entries(call.args ?? {}).map(([name, value]) => ({ name, value: typeof value === "string" ? value : canonical(value) })),
      ...firstRuns(params, loop.world.now()),
      { name: "mode", value: modeOf(loop.log, turn) },
      { name: "model", value: await loop.world.modelLabel(turn.config.model) },
      ...(turn.config.workspace === null ? [] : [{ name: "workspace", value: turn.config.workspace }]),
    ],
  }),
  digest: async (_params, { loop, turn }) => canonical([modeOf(loop.log, turn), turn.config.model, turn.config.workspace]),
  run: async (params, { loop, turn, call }) => {
    const { title, task, missed } = params;
    const timing = timingOf(params);
    if (timing === null) return failure("invalid_args", "exactly one of `at`, `every_minutes` and `cron` is needed", null);
    // Made before a death that took its result: its time may be over by now, and it may have begun.
    if (await loop.world.schedules.has(call.id)) return done(`It was made. It begins ${wordsOfTiming(timing)}.`);
    const now = loop.world.now();
    const fault = faultOfTiming(timing, now);
    if (fault !== null) return failure("invalid_args", fault, "Correct the time.");
    const hours = hoursOf(params);
    const next = nextRun(timing, now, hours);
    if (next === null) return failure("invalid_args", "it would never begin within these active hours", "Correct the time or the hours.");
    await loop.world.schedules.save({ id: call.id, title, task, timing, hours, missed, session: loop.session, config: { ...turn.config, mode: modeOf(loop.log, turn) }, by: "model" });
    return done(`It will begin ${wordsOfTiming(timing)}, next at ${new Date(next).toISOString()}.`);
  },
});

type Params = z.infer<typeof PARAMS>;

/** Null: not exactly one was named. */
function timingOf({ at, every_minutes: minutes, cron }: Params): Timing | null {
  const timings: Timing[] = [
    ...(at === undefined ? [] : [{ kind: "at" as const, at: Date.parse(at) }]),
    ...(minutes === undefined ? [] : [{ kind: "interval" as const, minutes }]),
    ...(cron === undefined ? [] : [{ kind: "cron" as const, line: cron }]),
  ];
  return timings.length === 1 ? (timings[0] ?? null) : null;
}

function hoursOf({ active_hours: active }: Params): ActiveHours | null {
  return active === undefined ? null : { from: minuteOf(active.from), until: minuteOf(active.until) };
}

/** As the person's clock will show them. */
function firstRuns(params: Params, now: number): readonly { readonly name: string; readonly value: string }[] {
  const timing = timingOf(params);
  if (timing === null || faultOfTiming(timing, now) !== null) return [];
  const runs: string[] = [];
  for (let at: number | null = now; runs.length < TOLD_RUNS; ) {
    at = nextRun(timing, at, hoursOf(params));
    if (at === null) break;
    runs.push(new Date(at).toLocaleString(undefined, { weekday: "short", year: "numeric", month: "short", day: "numeric", hour: "numeric", minute: "2-digit" }));
  }
  return runs.length === 0 ? [] : [{ name: "first_runs", value: runs.join("\n") }];
}

function minuteOf(clock: string): number {
  const [hours = 0, minutes = 0] = clock.split(":").map(Number);
  return hours * 60 + minutes;
}
