// What a hostile or failing world does to the engine: full disks, damaged logs, clocks that jump, answers that come twice, results
// that are far too large, schedules that were missed. Nothing is lost, nothing runs twice, and what is wrong is told in words.
import { describe, expect, test } from "vitest";
import { isSealed, type SessionLog } from "../agent/log.ts";
import type { StoredEvent } from "../agent/events.ts";
import { buildMessages } from "../agent/context.ts";
import { ModelFault } from "../llm/model.ts";
import { MemoryStorage } from "../storage/memory-storage.ts";
import type { SessionRow, Storage } from "../storage/storage.ts";
import { FakeHost } from "../testing/fake-host.ts";
import { FakeWorld } from "../testing/fake-world.ts";
import { callTools, say, ScriptedModel } from "../testing/scripted-model.ts";
import { allowAll, answersFor, callsOf, editTool, execTool, readTool, waitingCalls } from "../testing/session-log.ts";

function quotaStorage(inner: Storage, failsAt: number): { storage: Storage; mend: () => void; failed: () => boolean } {
  let appends = 0;
  let isFull = false;
  let isMended = false;
  const append: Storage["append"] = async (...args) => {
    appends += 1;
    if (!isMended && appends >= failsAt) {
      isFull = true;
      throw Object.assign(new Error("The quota has been exceeded."), { name: "QuotaExceededError" });
    }
    return inner.append(...args);
  };
  const storage = new Proxy(inner, { get: (target, name) => (name === "append" ? append : ((value: unknown) => (typeof value === "function" ? value.bind(target) : value))(Reflect.get(target, name, target))) });
  return { storage, mend: () => void (isMended = true), failed: () => isFull };
}

const script = () =>
  ScriptedModel.steps(
    () => callTools(["fs_read", { path: "a.txt" }], ["fs_read", { path: "b.txt" }]),
    () => callTools(["fs_edit", { path: "a.txt" }], ["fs_edit", { path: "b.txt" }]),
    () => callTools(["exec_run", { command: "count" }]),
    () => say("Done."),
  );

/** Of an answer that broke off none counts. */
const sealedCalls = (log: SessionLog) => log.turns.flatMap((turn) => turn.steps.filter(isSealed)).flatMap((step) => step.calls);

describe("the disk is full", () => {
  test("at any write: the session stops where its log ends, says so, and goes on by Retry without a lost or a doubled call", async () => {
    let reached = 0;
    for (let at = 2; ; at += 1) {
      const host = new FakeHost().add(readTool, editTool, execTool);
      const { storage, mend, failed } = quotaStorage(new MemoryStorage(), at);
      const world = new FakeWorld(script(), host, storage);
      const broken: string[] = [];
      world.onBroken = (error) => void broken.push((error as Error).name);
      const session = await world.engine.startSession("work").catch(() => null);
      if (session === null) continue;
      for (;;) {
        const log = await world.until(session, (each) => failed() || (each.turns.at(-1)?.outcome ?? null) !== null || waitingCalls(each).length > 0);
        if (failed() || waitingCalls(log).length === 0) break;
        await world.engine.answers.approval(session, answersFor(log, "allow")).catch(() => {});
      }
      if (!failed()) break;
      reached += 1;
      await world.until(session, () => broken.length > 0, "the word that it is broken");
      mend();
      await world.engine.resume(session);
      const log = await allowAll(world, session);
      expect(log.turns.at(-1)?.outcome, `write ${at}`).toBe("complete");
      for (const call of sealedCalls(log)) expect(call.result, `write ${at}: ${call.tool}`).not.toBeNull();
      for (const [what, times] of host.effects) expect(times, `write ${at}: ${what}`).toBe(1);
      world.die();
    }
    expect(reached).toBeGreaterThan(15);
  });
});

describe("a log that was damaged where it is stored", () => {
  async function wholeLog(): Promise<readonly StoredEvent[]> {
    const world = new FakeWorld(script(), new FakeHost().add(readTool, editTool, execTool));
    const session = await world.engine.startSession("work");
    await allowAll(world, session);
    return world.storage.readEvents(session, 0);
  }

  test("whatever is missing, torn or strange in it, the session opens, and the next message gets its answer", async () => {
    const whole = await wholeLog();
    const damages: readonly ((event: StoredEvent) => unknown)[] = [
      () => null,
      (event) => ({ ...event, event: null }),
      (event) => ({ ...event, event: {} }),
      (event) => ({ ...event, event: { type: "FromTheFuture", step: 5 } }),
      (event) => ({ ...event, event: { type: event.event.type } }),
    ];
    for (const [kind, damage] of damages.entries()) {
      for (let at = 0; at < whole.length; at += 1) {
        const host = new FakeHost().add(readTool, editTool, execTool);
        const inner = new MemoryStorage();
        const last = whole.at(-1);
        if (last === undefined) throw new Error("no log");
        const damaged = whole.flatMap((event, place) => (place !== at ? [event] : [damage(event)].filter((each) => each !== null))) as unknown as readonly StoredEvent[];
        const seq = damaged.at(-1)?.seq ?? 0;
        await inner.append(damaged, { id: last.session, title: "t", status: "running", workspace: null, model: "demo", createdAt: 1, updatedAt: last.at, waiting: 0, seq });
        const model = new ScriptedModel(() => () => say("I am here."));
        const world = new FakeWorld(model, host, inner);
        const label = `damage ${kind} at ${at + 1} (${whole[at]?.event.type})`;
        await world.engine.start();
        await world.engine.stop(last.session).catch(() => {});
        await world.engine.sendMessage(last.session, "are you there?").catch((error: unknown) => {
          throw new Error(`${label}: ${String(error)}`, { cause: error });
        });
        const log = await world.until(last.session, (each) => each.turns.some((turn) => turn.text === "are you there?" && turn.outcome !== null), label).catch((error: unknown) => {
          throw new Error(`${label}: ${String(error).slice(0, 300)}`, { cause: error });
        });
        expect(log.turns.find((turn) => turn.text === "are you there?")?.outcome, label).toBe("complete");
        const messages = buildMessages(log);
        const asked = messages.flatMap((message) => (message.role === "assistant" ? message.calls.map(({ call }) => call) : []));
        expect(asked.length, label).toBe(messages.filter((message) => message.role === "tool").length);
        expect(host.effects.size, `${label}: nothing ran because of it`).toBe(0);
        world.die();
      }
    }
  });
});

describe("the clock jumps", () => {
  test("back by a day while a busy server is waited for, and the engine is new: it is asked again all the same", async () => {
    const busy = new ScriptedModel(() => () => {
      throw new ModelFault({ code: "overloaded", message: "busy", hint: null, retryable: true }, 300);
    });
    const storage = new MemoryStorage();
    const world = new FakeWorld(busy, new FakeHost(), storage);
    world.clockMs = 86_400_000;
    const session = await world.engine.startSession("work");
    await world.until(session, (log) => log.turns[0]?.steps[0]?.retry != null);
    world.die();
    const copy = new MemoryStorage();
    const events = await storage.readEvents(session, 0);
    await copy.append(events.slice(0, events.findIndex(({ event }) => event.type === "RetryScheduled") + 1), (await storage.listSessions())[0] as SessionRow);
    const next = new FakeWorld(new ScriptedModel(() => () => say("Now.")), new FakeHost(), copy);
    await next.engine.start();
    expect((await next.ended(session)).turns.at(-1)?.outcome).toBe("complete");
  });

  test("back by a day: what runs each hour runs within the hour; two alarms at once are one run", async () => {
    const world = new FakeWorld(new ScriptedModel(() => () => say("Run.")), new FakeHost());
    world.clockMs = 86_400_000;
    const { schedules } = world.engine;
    await schedules.save({ id: "s", title: "s", task: "look", timing: { kind: "interval", minutes: 60 }, config: { workspace: null, model: "demo", mode: "ask" }, by: "user" });
    world.clockMs = 0;
    await schedules.tick();
    const [schedule] = schedules.list();
    expect((schedule?.nextAt ?? 0) - Date.now()).toBeLessThanOrEqual(3_600_000);
    world.clockMs = 3_700_000;
    await Promise.all([schedules.tick(), schedules.tick(), schedules.tick()]);
    expect(schedules.list()[0]?.runs).toBe(1);
    expect((await world.storage.listSessions()).filter(({ origin }) => origin?.kind === "schedule")).toHaveLength(1);
  });
});

describe("answers that come twice", () => {
  test("of two panels at once, the same or the opposite: the first counts, the second is refused, and it runs once", async () => {
    for (const second of ["allow", "deny"] as const) {
      const host = new FakeHost().add(editTool);
      const world = new FakeWorld(ScriptedModel.steps(() => callTools(["fs_edit", { path: "a.txt" }]), () => say("Done.")), host);
      const session = await world.engine.startSession("work");
      const log = await world.until(session, (each) => waitingCalls(each).length === 1);
      const done = await Promise.allSettled([world.engine.answers.approval(session, answersFor(log, "allow")), world.engine.answers.approval(session, answersFor(log, second)), world.engine.answers.approval(session, answersFor(log, second))]);
      expect(done[0]?.status).toBe("fulfilled");
      const end = await world.ended(session);
      expect(callsOf(end)[0]?.answer?.decision).toBe("allow");
      expect([...host.effects.values()]).toEqual([1]);
      await expect(world.engine.answers.approval(session, answersFor(log, "allow"))).rejects.toThrow();
      world.die();
    }
  });

  test("after the host and the engine died, an old answer opens nothing", async () => {
    const host = new FakeHost().add(execTool);
    const storage = new MemoryStorage();
    const world = new FakeWorld(ScriptedModel.steps(() => callTools(["exec_run", { command: "x" }])), host, storage);
    const session = await world.engine.startSession("work");
    const old = await world.until(session, (each) => waitingCalls(each).length === 1);
    world.die();
    const next = new FakeWorld(ScriptedModel.steps(() => callTools(["exec_run", { command: "x" }]), () => say("Done.")), host, storage);
    host.salt = "changed since";
    await next.engine.start();
    const fresh = await next.until(session, (each) => waitingCalls(each)[0]?.asked?.plan.digest !== waitingCalls(old)[0]?.asked?.plan.digest && waitingCalls(each).length === 1);
    await expect(next.engine.answers.approval(session, answersFor(old, "allow"))).rejects.toThrow();
    expect(host.effects.size).toBe(0);
    await next.engine.answers.approval(session, answersFor(fresh, "allow"));
    await next.ended(session);
    expect([...host.effects.values()]).toEqual([1]);
  });
});

test("a result of 10 MB is kept in the log, and does not fill the prompt", async () => {
  const text = "0123456789abcdef".repeat(650_000);
  const host = new FakeHost().add({ ...readTool, run: () => ({ text }) });
  const model = ScriptedModel.steps(() => callTools(["fs_read", { path: "big" }]), () => say("Done."));
  const world = new FakeWorld(model, host);
  world.facts = { ...world.facts, window: 128_000 };
  const session = await world.engine.startSession("work");
  const log = await world.ended(session);
  const last = JSON.stringify(model.requests.at(-1)?.messages ?? "").length;
  expect(log.turns.at(-1)?.paused ?? log.turns.at(-1)?.outcome).toBe("complete");
  expect(callsOf(log)[0]?.result?.text.length).toBe(text.length);
  expect(last).toBeLessThan(128_000 * 4);
});
