// Row 29: a heartbeat is a profile's own interval.
import { describe, expect, test } from "vitest";
import { FakeHost } from "../testing/fake-host.ts";
import { FakeWorld } from "../testing/fake-world.ts";
import { eventually } from "../testing/eventually.ts";
import { callTools, say, ScriptedModel } from "../testing/scripted-model.ts";
import { allowAll } from "../testing/session-log.ts";

const MINUTE = 60_000;
const watcher = { id: "watcher", name: "Watcher", instructions: "Look whether the build is green.", mode: "plan" as const, interval: 30 };

async function watched() {
  const world = new FakeWorld(new ScriptedModel(() => () => say("ok")), new FakeHost());
  await world.engine.saveProfile(watcher);
  await world.engine.selectProfile(null, "watcher");
  const session = await world.engine.startSession("begin");
  await world.ended(session);
  const { schedules } = world.engine;
  const runs = async () => (await world.engine.children.of(session)).map(({ id }) => id);
  return { world, session, schedules, runs };
}

describe("row 29: a heartbeat", () => {
  test("a session of a profile with an interval has a schedule of it, with the profile's words and rights; it is listed and runs as any other", async () => {
    const { world, session, schedules, runs } = await watched();
    expect(schedules.list()).toMatchObject([{ title: "Watcher", timing: { kind: "interval", minutes: 30 }, session, enabled: true, config: { profile: "watcher", mode: "plan", instructions: watcher.instructions } }]);
    world.clockMs = 31 * MINUTE;
    await schedules.tick();
    const [run = ""] = await runs();
    expect((await world.ended(run)).turns[0]?.text).toContain("heartbeat");
    // A run of it has none of its own.
    expect(schedules.list()).toMatchObject([{ session, runs: 1 }]);
  });

  test("it belongs to the session that was chosen last: one for a profile, at the time it was to come, and it stays paused", async () => {
    const { world, session, schedules } = await watched();
    const before = schedules.list()[0]?.nextAt;
    world.clockMs = 10 * MINUTE;
    const second = await world.engine.startSession("another");
    await world.ended(second);
    expect(schedules.list()).toMatchObject([{ session: second, nextAt: before }]);
    await schedules.enable("heartbeat-watcher", false);
    await world.engine.selectProfile(session, "watcher");
    expect(schedules.list()).toMatchObject([{ session, enabled: false, nextAt: null }]);
  });

  test("it ends with another profile, with the profile's interval, with the profile and with the session", async () => {
    const { world, session, schedules } = await watched();
    await world.engine.saveProfile({ ...watcher, interval: 60 });
    expect(schedules.list()).toMatchObject([{ timing: { minutes: 60 } }]);
    const ends = [
      () => world.engine.selectProfile(session, "write"),
      () => world.engine.saveProfile({ ...watcher, interval: undefined }),
      () => world.engine.removeProfile("watcher"),
      () => world.engine.deleteSession(session, false),
    ];
    for (const end of ends) {
      await world.engine.saveProfile(watcher);
      await world.engine.selectProfile(session, "watcher");
      expect(schedules.list()).toHaveLength(1);
      await end();
      expect(schedules.list()).toEqual([]);
    }
  });

  test("a session that the agent hands over to the profile has it from then on, as if a person had chosen it", async () => {
    const world = new FakeWorld(new ScriptedModel(({ messages }) => () => (messages.length === 1 ? callTools(["hand_over", { profile: "watcher", why: "it is to be watched" }]) : say("ok"))), new FakeHost());
    await world.engine.saveProfile(watcher);
    const { schedules } = world.engine;
    const session = await world.engine.startSession("begin", { tools: ["hand_over"] });
    const log = await allowAll(world, session);
    expect(log.config.profile).toBe("watcher");
    await eventually(() => expect(schedules.list()).toMatchObject([{ id: "heartbeat-watcher", session, timing: { minutes: 30 }, config: { profile: "watcher" } }]));
    await world.engine.selectProfile(session, "write");
    expect(schedules.list()).toEqual([]);
  });

  test("one that was cancelled is not begun by saving the profile", async () => {
    const { world, schedules } = await watched();
    await schedules.remove("heartbeat-watcher");
    await world.engine.saveProfile({ ...watcher, interval: 5 });
    expect(schedules.list()).toEqual([]);
  });
});
