// Row 29: a heartbeat is a profile's own interval.
import { describe, expect, test } from "vitest";
import { MemoryStorage } from "../storage/memory-storage.ts";
import type { SessionRow, UsageRow } from "../storage/storage.ts";
import type { StoredEvent } from "../wire/events.ts";
import { FakeHost } from "../testing/fake-host.ts";
import { FakeWorld } from "../testing/fake-world.ts";
import { eventually } from "../testing/eventually.ts";
import { callTools, say, ScriptedModel } from "../testing/scripted-model.ts";
import { allowAll, answersFor, waitingCalls } from "../testing/session-log.ts";

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

  test("a death between the two writes leaves no session without its heartbeat, and no heartbeat without its session", async () => {
    const storage = new DyingStorage();
    const model = new ScriptedModel(({ messages }) => () => (messages.length === 1 ? callTools(["hand_over", { profile: "watcher", why: "it is to be watched" }]) : say("ok")));
    const world = new FakeWorld(model, new FakeHost(), storage);
    await world.engine.saveProfile(watcher);
    const session = await world.engine.startSession("begin", { tools: ["hand_over"] });
    const card = await world.until(session, (log) => waitingCalls(log).length > 0);
    storage.diesAfter = (written) => written === "HandedOver";
    void world.engine.answers.approval(session, answersFor(card, "allow")).catch(() => {});
    const after = await died(storage, world);
    await after.ended(session);
    expect(after.engine.schedules.list()).toMatchObject([{ id: "heartbeat-watcher", session, enabled: true }]);

    // And before the session is written to: it has not changed its profile, so nothing beats.
    await after.engine.saveProfile({ ...watcher, id: "other", interval: 10 });
    storage.diesAfter = (written) => written === "schedules";
    void after.engine.selectProfile(session, "other");
    const last = await died(storage, after);
    expect(last.engine.schedules.list()).toMatchObject([{ id: "heartbeat-watcher", session }]);
    expect((await last.log(session)).config.profile).toBe("watcher");
  });
});

/** Its browser dies after one of its writes: nothing after it is written or answered. */
class DyingStorage extends MemoryStorage {
  diesAfter: ((written: string) => boolean) | null = null;
  isDead = false;

  override async append(events: readonly StoredEvent[], row: SessionRow, durable?: boolean, spent?: readonly UsageRow[]): Promise<void> {
    await this.#written(() => super.append(events, row, durable, spent), events.map(({ event }) => event.type));
  }

  override async saveSetting(name: string, value: unknown): Promise<void> {
    await this.#written(() => super.saveSetting(name, value), [name]);
  }

  async #written(write: () => Promise<void>, names: readonly string[]): Promise<void> {
    if (this.isDead) return new Promise<never>(() => {});
    await write();
    if (this.diesAfter === null || !names.some(this.diesAfter)) return;
    this.isDead = true;
    return new Promise<never>(() => {});
  }
}

async function died(storage: DyingStorage, before: FakeWorld): Promise<FakeWorld> {
  await eventually(() => expect(storage.isDead).toBe(true));
  before.die();
  [storage.isDead, storage.diesAfter] = [false, null];
  const world = new FakeWorld(new ScriptedModel(() => () => say("ok")), new FakeHost(), storage);
  await world.engine.start();
  return world;
}
