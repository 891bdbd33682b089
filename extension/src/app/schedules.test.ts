// Rows 29, 30, 60, 61: tasks that begin by themselves, once each, on their own, and never behind a person's back.
import { afterEach, describe, expect, test } from "vitest";
import { faultOfTiming, isWithin, nextRun, type Timing } from "../agent/timing.ts";
import { MemoryStorage } from "../storage/memory-storage.ts";
import { FakeHost } from "../testing/fake-host.ts";
import { FakeWorld } from "../testing/fake-world.ts";
import { callTools, say, ScriptedModel } from "../testing/scripted-model.ts";
import { answersFor, callsOf, editTool, waitingCalls } from "../testing/session-log.ts";
import { Schedules } from "./schedules.ts";

const MINUTE = 60_000;
const noon = new Date(2026, 10, 20, 12, 0).getTime();

describe("row 30: when", () => {
  test.each<[Timing, number | null]>([
    [{ kind: "at", at: noon + 1 }, noon + 1],
    [{ kind: "at", at: noon }, null],
    [{ kind: "interval", minutes: 30 }, noon + 30 * MINUTE],
    [{ kind: "cron", line: "30 13 * * *" }, new Date(2026, 10, 20, 13, 30).getTime()],
    [{ kind: "cron", line: "0 12 * * *" }, new Date(2026, 10, 21, 12, 0).getTime()],
  ])("%j", (timing, expected) => {
    expect(nextRun(timing, noon, null)).toBe(expected);
  });

  test("active hours, also over midnight", () => {
    expect(nextRun({ kind: "interval", minutes: 60 }, noon, { from: 15 * 60, until: 18 * 60 })).toBe(noon + 180 * MINUTE);
    expect(isWithin(new Date(2026, 10, 20, 23, 0).getTime(), { from: 22 * 60, until: 6 * 60 })).toBe(true);
    expect(isWithin(noon, { from: 22 * 60, until: 6 * 60 })).toBe(false);
    expect(nextRun({ kind: "at", at: noon + 1 }, noon, { from: 0, until: 60 })).toBeNull();
  });

  test.each<Timing>([{ kind: "at", at: Number.NaN }, { kind: "at", at: noon - 1 }, { kind: "interval", minutes: 0.5 }, { kind: "cron", line: "every day" }, { kind: "cron", line: "0 0 30 2 *" }, { kind: "cron", line: "* * * * * *" }])("%j is none", (timing) => {
    expect(faultOfTiming(timing, noon)).not.toBeNull();
  });
});

async function keeper(storage = new MemoryStorage(), clock = { now: noon }) {
  const world = new FakeWorld(new ScriptedModel(() => () => say("ran")), new FakeHost(), storage);
  const alarms: (number | null)[] = [];
  const schedules = new Schedules({ storage, children: world.engine.children, now: () => clock.now, setAlarm: (at) => alarms.push(at), onChange: () => {} });
  await schedules.load();
  const runs = async () => (await storage.listSessions()).map(({ id }) => id).toSorted();
  return { world, schedules, alarms, clock, storage, runs };
}

const daily = { id: "s", title: "Report", task: "report", timing: { kind: "cron", line: "0 13 * * *" } as const, config: { workspace: null, model: "demo", mode: "ask" as const }, by: "user" as const };

describe("row 29: runs", () => {
  test("at its time, once, however often it is woken; the alarm is always for what comes next", async () => {
    const { schedules, alarms, clock, runs } = await keeper();
    await schedules.save(daily);
    expect(alarms.at(-1)).toBe(noon + 60 * MINUTE);
    clock.now = noon + 59 * MINUTE;
    await schedules.tick();
    expect(await runs()).toEqual([]);
    clock.now = noon + 60 * MINUTE + 500;
    await schedules.tick();
    await schedules.tick();
    expect(await runs()).toHaveLength(1);
    expect(schedules.list()[0]).toMatchObject({ runs: 1, lastAt: noon + 60 * MINUTE, nextAt: noon + 25 * 60 * MINUTE });
    expect(alarms.at(-1)).toBe(noon + 25 * 60 * MINUTE);
  });

  test("a restart between the run and its note begins nothing twice", async () => {
    const first = await keeper();
    await first.schedules.save(daily);
    const before = await first.storage.readSetting("schedules");
    first.clock.now = noon + 60 * MINUTE;
    await first.schedules.tick();
    // One engine at a time: the run is over before the next one looks.
    await first.world.ended((await first.runs())[0] ?? "");
    await first.storage.saveSetting("schedules", before);
    const second = await keeper(first.storage, first.clock);
    expect(second.schedules.list()[0]?.runs).toBe(1);
    expect(await second.runs()).toHaveLength(1);
  });

  test.each([
    ["run_once", 1],
    ["skip", 0],
  ] as const)("what was missed while the browser was closed: %s", async (missed, count) => {
    const first = await keeper();
    await first.schedules.save({ ...daily, timing: { kind: "interval", minutes: 30 }, missed });
    first.clock.now = noon + 10 * 60 * MINUTE;
    const second = await keeper(first.storage, first.clock);
    expect(await second.runs()).toHaveLength(count);
    expect(second.schedules.list()[0]?.nextAt).toBe(first.clock.now + 30 * MINUTE);
  });

  test("one that cannot begin keeps no other from beginning, and is tried again", async () => {
    const { storage, world } = await keeper();
    const clock = { now: noon };
    let isBroken = true;
    const began: string[] = [];
    const children = Object.assign(Object.create(world.engine.children) as typeof world.engine.children, {
      ensure: async ({ task }: { task: string }) => {
        if (task === "broken" && isBroken) throw new Error("locked");
        began.push(task);
      },
    });
    const schedules = new Schedules({ storage, children, now: () => clock.now, setAlarm: () => {}, onChange: () => {} });
    await schedules.save({ ...daily, id: "a", task: "broken" });
    await schedules.save({ ...daily, id: "b", task: "sound" });
    clock.now = noon + 60 * MINUTE;
    await schedules.tick();
    expect(began).toEqual(["sound"]);
    isBroken = false;
    await schedules.tick();
    expect(began).toEqual(["sound", "broken"]);
  });

  test("paused, changed, removed", async () => {
    const { schedules, alarms, clock, runs } = await keeper();
    await schedules.save(daily);
    await schedules.enable("s", false);
    expect(alarms.at(-1)).toBeNull();
    clock.now = noon + 61 * MINUTE;
    await schedules.tick();
    expect(await runs()).toEqual([]);
    await schedules.save({ ...daily, timing: { kind: "at", at: clock.now + MINUTE }, enabled: true });
    expect(schedules.list()).toHaveLength(1);
    clock.now += 2 * MINUTE;
    await schedules.tick();
    expect(await runs()).toHaveLength(1);
    expect(schedules.list()[0]).toMatchObject({ nextAt: null });
    await schedules.remove("s");
    expect(schedules.list()).toEqual([]);
    await expect(schedules.save({ ...daily, timing: { kind: "cron", line: "x" } })).rejects.toMatchObject({ fault: { code: "bad_schedule" } });
  });
});

describe("row 30: clocks that change and runs that last", () => {
  const zone = process.env["TZ"];
  afterEach(() => {
    if (zone === undefined) delete process.env["TZ"];
    else process.env["TZ"] = zone;
  });

  /** All runs of a week, as the local clock shows them. */
  const week = (line: string, from: number) => {
    const runs: string[] = [];
    for (let at = nextRun({ kind: "cron", line }, from, null); at !== null && at < from + 7 * 24 * 60 * MINUTE; at = nextRun({ kind: "cron", line }, at, null)) {
      runs.push(new Date(at).toLocaleString("sv").slice(5, 16));
    }
    return runs;
  };

  test.each([
    ["an hour is left out", new Date(Date.UTC(2026, 2, 26, 12)), "03-29"],
    ["an hour comes twice", new Date(Date.UTC(2026, 9, 22, 12)), "10-25"],
  ])("each day once, also where %s", (_name, from, night) => {
    process.env["TZ"] = "Europe/Berlin";
    const runs = week("30 2 * * *", from.getTime());
    expect(runs).toHaveLength(7);
    expect(new Set(runs.map((run) => run.slice(0, 5))).size).toBe(7);
    expect(runs.filter((run) => run.startsWith(night))).toHaveLength(1);
    // Every hour is every hour that there is.
    const hours = week("0 * * * *", from.getTime());
    expect(Math.abs(hours.length - 7 * 24)).toBeLessThanOrEqual(1);
  });

  test("active hours are of the local clock on both sides of a change", () => {
    process.env["TZ"] = "America/New_York";
    const hours = { from: 9 * 60, until: 10 * 60 };
    for (const day of [Date.UTC(2026, 2, 7, 20), Date.UTC(2026, 2, 8, 20), Date.UTC(2026, 10, 1, 0), Date.UTC(2026, 10, 2, 0)]) {
      const next = nextRun({ kind: "interval", minutes: 30 }, day, hours) ?? 0;
      expect(new Date(next).getHours()).toBe(9);
    }
  });

  test.each<Timing>([{ kind: "interval", minutes: Number.POSITIVE_INFINITY }, { kind: "interval", minutes: Number.NaN }, { kind: "interval", minutes: 1e9 }, { kind: "at", at: 1e17 }, { kind: "at", at: Number.POSITIVE_INFINITY }])("%j is none", (timing) => {
    expect(faultOfTiming(timing, noon)).not.toBeNull();
  });

  test("a run that waits for a person is not joined by the next; when it is over, they go on", async () => {
    const storage = new MemoryStorage();
    const world = new FakeWorld(ScriptedModel.steps(() => callTools(["fs_edit", { path: "a" }])), new FakeHost().add(editTool), storage);
    const clock = { now: noon };
    const schedules = new Schedules({ storage, children: world.engine.children, now: () => clock.now, setAlarm: () => {}, onChange: () => {} });
    await schedules.save({ ...daily, timing: { kind: "interval", minutes: 30 } });
    clock.now = noon + 30 * MINUTE;
    await schedules.tick();
    const [run] = await storage.listSessions();
    const waits = await world.until(run?.id ?? "", (log) => waitingCalls(log).length === 1);
    for (let more = 2; more <= 5; more += 1) {
      clock.now = noon + more * 30 * MINUTE;
      await schedules.tick();
    }
    expect(await storage.listSessions()).toHaveLength(1);
    expect(schedules.list()[0]).toMatchObject({ runs: 1, lastAt: noon + 30 * MINUTE, nextAt: noon + 6 * 30 * MINUTE });
    await world.engine.answers.approval(run?.id ?? "", answersFor(waits, "deny"));
    await world.ended(run?.id ?? "");
    clock.now = noon + 6 * 30 * MINUTE;
    await schedules.tick();
    expect(await storage.listSessions()).toHaveLength(2);
    expect(schedules.list()[0]).toMatchObject({ runs: 2 });
  });
});

describe("row 60: made by the model", () => {
  test("after a card; a run is a session of its own that sees nothing of this one, and waits with what it may not do", async () => {
    const model = new ScriptedModel(({ messages }) => () => {
      if (messages[0]?.text === "tidy up") return messages.length === 1 ? callTools(["fs_edit", { path: "a" }]) : say("tidy");
      return messages.length === 1 ? callTools(["schedule", { title: "Tidy", task: "tidy up", every_minutes: 60 }]) : say("made");
    });
    const world = new FakeWorld(model, new FakeHost().add(editTool));
    const session = await world.engine.startSession("make it so");
    const asked = await world.until(session, (log) => waitingCalls(log).length === 1);
    expect(world.engine.schedules.list()).toEqual([]);
    const preview = waitingCalls(asked)[0]?.asked?.plan.preview;
    expect(JSON.stringify(preview)).toContain("tidy up");
    // What its runs may do, and by which model, is no argument of it, and stands on the card all the same.
    expect(preview?.kind === "call" && preview.arguments.slice(-2)).toEqual([{ name: "mode", value: "ask" }, { name: "model", value: expect.any(String) }]);
    await world.engine.answers.approval(session, answersFor(asked, "allow"));
    expect((await world.ended(session)).turns[0]?.outcome).toBe("complete");
    const [made] = world.engine.schedules.list();
    expect(made).toMatchObject({ title: "Tidy", by: "model", session, enabled: true });
    await world.engine.schedules.save({ ...(made ?? daily), timing: { kind: "at", at: Date.now() + 10 * MINUTE } });
    world.clockMs += 11 * MINUTE;
    await world.engine.schedules.tick();
    const [run] = await world.engine.children.of(session);
    expect(run?.origin).toMatchObject({ kind: "schedule", by: made?.id });
    const waits = await world.until(run?.id ?? "", (log) => waitingCalls(log).length === 1);
    expect(callsOf(waits)[0]?.tool).toBe("fs_edit");
    expect(model.requests.find(({ messages }) => messages[0]?.text === "tidy up")?.messages).toHaveLength(1);
    expect((await world.log(session)).turns).toHaveLength(1);
  });

  test("the card tells the next times of a cron line, within its hours, and none where there is none", async () => {
    const wanted = [{ cron: "0 6 * * 1-5" }, { cron: "0 6 * * 1-5", active_hours: { from: "09:00", until: "17:00" } }, { cron: "every day" }];
    for (const timing of wanted) {
      const model = ScriptedModel.steps(() => callTools(["schedule", { title: "Look", task: "x", ...timing }]), () => say("done"));
      const world = new FakeWorld(model, new FakeHost());
      const asked = await world.until(await world.engine.startSession("go"), (log) => waitingCalls(log).length === 1);
      const preview = waitingCalls(asked)[0]?.asked?.plan.preview;
      const runs = preview?.kind === "call" ? preview.arguments.find(({ name }) => name === "first_runs")?.value.split("\n") : undefined;
      if (timing !== wanted[0]) expect(runs).toBeUndefined();
      else {
        expect(runs).toHaveLength(3);
        for (const run of runs ?? []) expect(run).toMatch(/6[:.]00/);
      }
    }
  });

  test("with active hours and what becomes of a missed run, where it says so; hours in which it never comes are refused", async () => {
    const [from, until] = [180, 300].map((ahead) => new Date(Date.now() + ahead * MINUTE)).map((time) => `${String(time.getHours()).padStart(2, "0")}:${String(time.getMinutes()).padStart(2, "0")}`);
    const at = new Date(Date.now() + 30 * MINUTE).toISOString();
    const model = ScriptedModel.steps(
      () => callTools(["schedule", { title: "Never", task: "x", at, active_hours: { from, until } }]),
      () => callTools(["schedule", { title: "Tidy", task: "x", every_minutes: 60, active_hours: { from, until }, missed: "skip" }]),
    );
    const world = new FakeWorld(model, new FakeHost());
    const session = await world.engine.startSession("make it so");
    for (const place of [0, 1]) {
      const asked = await world.until(session, (log) => callsOf(log).length === place + 1 && waitingCalls(log).length === 1);
      await world.engine.answers.approval(session, answersFor(asked, "allow"));
    }
    const log = await world.ended(session);
    expect(callsOf(log).map(({ result }) => result?.isError)).toEqual([true, false]);
    const clock = (text = "") => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
    expect(world.engine.schedules.list()).toMatchObject([{ title: "Tidy", missed: "skip", hours: { from: clock(from), until: clock(until) } }]);
    expect(world.engine.schedules.list()[0]?.nextAt).toBeGreaterThan(Date.now() + 170 * MINUTE);
  });
});

describe("a run's policy was fixed with its schedule", () => {
  const rule = (effect: "allow" | "deny", target: object) => ({ effect, scope: "always", target: { tool: "fs_edit", ...target } }) as const;

  async function run(world: FakeWorld): Promise<string> {
    await world.engine.schedules.save({ ...daily, config: { workspace: "app", model: "demo", mode: "ask" }, timing: { kind: "interval", minutes: 60 } });
    world.clockMs += 61 * MINUTE;
    await world.engine.schedules.tick();
    return (await world.storage.listSessions()).find(({ origin }) => origin?.kind === "schedule")?.id ?? "";
  }

  const world = () => new FakeWorld(ScriptedModel.steps(() => callTools(["fs_edit", { path: "a" }])), new FakeHost().add(editTool));

  test("a rule for everything lets nothing more run in it, nor in what works for it; one for schedules does", async () => {
    const wide = world();
    await wide.engine.grants.addRule(null, rule("allow", {}));
    const waits = await run(wide);
    const log = await wide.until(waits, ({ turns }) => turns[0]?.outcome !== null || turns[0].steps.some(({ calls }) => calls.some(({ state }) => state === "asked")));
    expect(waitingCalls(log)).toHaveLength(1);
    // What "always" proposes on its card is a rule for schedules, and holds in the next run.
    const [proposal] = await wide.engine.grants.proposals(waits, waitingCalls(log)[0]?.id ?? "");
    expect(proposal?.target.origin).toBe("schedule");
    const named = world();
    await named.engine.grants.addRule(null, rule("allow", { origin: "schedule" }));
    expect((await named.ended(await run(named))).turns[0]?.outcome).toBe("complete");
    const agents = new FakeWorld(new ScriptedModel(({ messages }) => () => (messages.length > 1 ? say("ok") : messages[0]?.text === "edit" ? callTools(["fs_edit", { path: "a" }]) : callTools(["spawn_agent", { task: "edit", write: true }]))), new FakeHost().add(editTool));
    await agents.engine.grants.addRule(null, rule("allow", {}));
    const parent = await run(agents);
    await agents.until(parent, (now) => callsOf(now).some(({ sent }) => sent));
    const child = callsOf(await agents.log(parent))[0]?.id ?? "";
    expect(waitingCalls(await agents.until(child, (now) => callsOf(now).some(({ state }) => state === "asked" || state === "settled")))).toHaveLength(1);
  });

  test("a deny holds in it, whenever it was made", async () => {
    const strict = world();
    await strict.engine.grants.addRule(null, rule("deny", { path: "a" }));
    expect(callsOf(await strict.ended(await run(strict)))[0]?.result?.isError).toBe(true);
  });
});
