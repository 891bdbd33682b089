// What the trials found (`trials.test.ts`), each as small as it can be: two things at the same time, or a death between two writes that belong together.
import { describe, expect, test } from "vitest";
import type { AgentEvent, StoredEvent } from "../agent/events.ts";
import { foldEvents } from "../agent/fold.ts";
import { BILLED_RETRIES, STALE_TURN_MS } from "../agent/limits.ts";
import { summarise } from "../agent/summary.ts";
import { ModelFault } from "../llm/model.ts";
import { newUlid } from "../lib/ids.ts";
import { MemoryStorage } from "../storage/memory-storage.ts";
import { FakeHost } from "../testing/fake-host.ts";
import { FakeWorld } from "../testing/fake-world.ts";
import { callTools, say, ScriptedModel } from "../testing/scripted-model.ts";
import { answersFor, callsOf, editTool, execTool, readTool, waitingCalls } from "../testing/session-log.ts";

/** Lets something happen while an event is being written, and only then goes on. */
class SlowStorage extends MemoryStorage {
  meanwhile: { readonly type: AgentEvent["type"]; readonly act: () => unknown } | null = null;

  override async append(...args: Parameters<MemoryStorage["append"]>): Promise<void> {
    const { meanwhile } = this;
    if (meanwhile !== null && args[0].some(({ event }) => event.type === meanwhile.type)) {
      this.meanwhile = null;
      void meanwhile.act();
      await new Promise((resolve) => {
        setTimeout(resolve, 5);
      });
    }
    return super.append(...args);
  }
}

async function stored(storage: MemoryStorage, logs: Iterable<readonly StoredEvent[]>): Promise<MemoryStorage> {
  for (const events of logs) await storage.append(events, summarise(foldEvents(events[0]?.session ?? "", events)));
  return storage;
}

/** The next event of a log. */
function after(events: readonly StoredEvent[], event: AgentEvent): StoredEvent {
  const last = events.at(-1);
  if (last === undefined) throw new Error("an empty log");
  return { ...last, seq: last.seq + 1, id: newUlid(), parent: last.id, event };
}

test("a steer that comes while a step ends is said before the next one begins, and is not answered twice", async () => {
  const model = ScriptedModel.steps(() => callTools(["fs_read", { path: "a" }]), () => callTools(["fs_read", { path: "b" }]), () => say("done"));
  const storage = new SlowStorage();
  const world = new FakeWorld(model, new FakeHost().add(readTool), storage);
  storage.meanwhile = { type: "StepEnd", act: async () => world.engine.queue.add((await storage.listSessions())[0]?.id ?? "", "also that", "steer") };
  const session = await world.engine.startSession("go");
  await world.ended(session);
  const types = (await storage.readEvents(session, 0)).map(({ event }) => event.type);
  const place = types.indexOf("Steered");
  expect(types.slice(place - 2, place + 2)).toEqual(["StepEnd", "QueueAdded", "Steered", "StepStart"]);
  expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: "user", text: "also that" });
  expect(model.requests[2]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user", "assistant", "tool"]);
});

test("Retry waits for the summary that is being made, and asks with what it says", async () => {
  let tell: () => void = () => {};
  const told = new Promise<void>((resolve) => {
    tell = resolve;
  });
  let isFull = true;
  const model = new ScriptedModel(({ system, messages }) => async function* () {
    if (system.startsWith("You summarise")) {
      await told;
      return yield* say("all of it");
    }
    if (messages.at(-1)?.role === "tool" && isFull) throw new ModelFault({ code: "too_long", message: "The conversation is too long.", hint: null, retryable: false });
    yield* messages.length > 1 && messages.at(-1)?.text === "two" ? callTools(["todo", { items: [] }]) : say("done");
  });
  const world = new FakeWorld(model, new FakeHost());
  const session = await world.engine.startSession("one");
  await world.ended(session);
  await world.engine.sendMessage(session, "two");
  await world.until(session, ({ turns }) => turns[1]?.outcome === "failed");
  await world.engine.compact(session);
  await world.until(session, () => model.requests.some(({ system }) => system.startsWith("You summarise")));
  isFull = false;
  await world.engine.resume(session);
  await new Promise((resolve) => setTimeout(resolve, 30));
  tell();
  await world.until(session, ({ turns }) => turns[1]?.outcome === "complete");
  const types = (await world.storage.readEvents(session, 0)).map(({ event }) => event.type).filter((type) => ["TurnResumed", "Compacted", "StepStart"].includes(type));
  expect(types.slice(-3)).toEqual(["TurnResumed", "Compacted", "StepStart"]);
  expect(model.requests.at(-1)?.messages[0]?.text).toContain("all of it");
});

describe("Stop", () => {
  test("that comes before an allowed command has gone out: it does not go out any more", async () => {
    const host = new FakeHost().add(execTool);
    const world = new FakeWorld(ScriptedModel.steps(() => callTools(["exec_run", {}]), () => say("done")), host);
    const session = await world.engine.startSession("go");
    const log = await world.until(session, (each) => waitingCalls(each).length === 1);
    // Asked for right before a call is written down as started.
    Object.defineProperty(host, "journalId", { get: () => (void world.engine.stop(session), "j1") });
    await world.engine.answers.approval(session, answersFor(log, "allow"));
    const done = await world.ended(session);
    expect(done.turns[0]?.outcome).toBe("cancelled");
    expect([...host.effects.values()]).toEqual([]);
    expect(callsOf(done)[0]?.result?.structured).toMatchObject({ code: "cancelled" });
  });

  test("that comes while a sub-agent is about to begin: none begins", async () => {
    const storage = new SlowStorage();
    const world = new FakeWorld(ScriptedModel.steps(() => callTools(["spawn_agent", { task: "look" }]), () => say("done")), new FakeHost(), storage);
    storage.meanwhile = { type: "AssistantDone", act: async () => world.engine.stop((await storage.listSessions())[0]?.id ?? "") };
    const session = await world.engine.startSession("go");
    const log = await world.ended(session);
    expect(callsOf(log)[0]?.result?.structured).toMatchObject({ code: "cancelled" });
    expect((await storage.listSessions()).map(({ id }) => id)).toEqual([session]);
  });

  test("that was pressed before a long absence is what the turn ends with", async () => {
    const storage = new MemoryStorage();
    const first = new FakeWorld(ScriptedModel.steps(() => callTools(["exec_run", {}])), new FakeHost().add(execTool), storage);
    const session = await first.engine.startSession("go");
    const log = await first.until(session, (each) => waitingCalls(each).length === 1);
    first.die();
    const events = await storage.readEvents(session, 0);
    const started = events.slice(0, events.findIndex(({ event }) => event.type === "ToolStarted") + 1);
    const stopped = await stored(new MemoryStorage(), [[...started, after(started, { type: "StopRequested", turn: log.turns[0]?.id ?? "" })]]);
    const again = new FakeWorld(ScriptedModel.steps(), new FakeHost().add(execTool), stopped);
    again.clockMs = STALE_TURN_MS * 2;
    await again.engine.start();
    const done = await again.ended(session);
    expect(done.turns[0]).toMatchObject({ outcome: "cancelled", fault: null });
    expect(callsOf(done)[0]?.result).not.toBeNull();
  });
});

describe("a sub-agent whose call has its result without it", () => {
  /** A sub-agent waits with a card, and the turn it works for was given up. */
  async function forsaken() {
    const model = () => new ScriptedModel(({ messages }) => () => (messages[0]?.text === "edit it" ? (messages.length === 1 ? callTools(["fs_edit", { path: "a" }]) : say("edited")) : messages.at(-1)?.text === "go" ? callTools(["spawn_agent", { task: "edit it", write: true }]) : say("done")));
    const host = new FakeHost().add(editTool);
    const first = new FakeWorld(model(), host);
    const session = await first.engine.startSession("go");
    const { turns } = await first.until(session, (log) => callsOf(log)[0]?.sent === true);
    const child = turns[0]?.steps[0]?.calls[0]?.id ?? "";
    await first.until(child, (log) => waitingCalls(log).length === 1);
    first.die();
    const events = await first.storage.readEvents(session, 0);
    const fault = { code: "stale_turn", message: "This turn was interrupted.", hint: "Press Retry.", retryable: true };
    const givenUp = [...events, after(events, { type: "TurnEnd", turn: turns[0]?.id ?? "", outcome: "failed", fault })];
    const storage = await stored(new MemoryStorage(), [givenUp, await first.storage.readEvents(child, 0)]);
    const world = new FakeWorld(model(), host, storage);
    await world.engine.start();
    await world.ended(session);
    return { world, session, child, storage, model, host };
  }

  test("is stopped: nobody would take its answer, and what it changes would be for nobody", async () => {
    const { world, session, child, host } = await forsaken();
    expect(waitingCalls(await world.log(child))).toHaveLength(1);
    await world.engine.sendMessage(session, "something else");
    expect((await world.ended(child)).turns[0]?.outcome).toBe("cancelled");
    expect(host.effects.size).toBe(0);
  });

  test("is stopped at the next start, where the engine died between the two", async () => {
    const { world, session, child, storage, model } = await forsaken();
    await world.engine.sendMessage(session, "something else");
    await world.ended(child);
    await world.until(session, ({ turns }) => turns[1]?.outcome === "complete");
    const events = await storage.readEvents(child, 0);
    const cut = await stored(new MemoryStorage(), [await storage.readEvents(session, 0), events.slice(0, events.findIndex(({ event }) => event.type === "StopRequested"))]);
    const again = new FakeWorld(model(), new FakeHost().add(editTool), cut);
    await again.engine.start();
    expect((await again.ended(child)).turns[0]?.outcome).toBe("cancelled");
  });

  test("a denial that its session had made, and that a death kept from it, holds for it after the start", async () => {
    const { world, session, child, storage, model } = await forsaken();
    await world.engine.resume(session);
    await world.engine.grants.addRule(session, { effect: "deny", scope: "session", target: { tool: "fs_edit" } });
    world.die();
    const events = await storage.readEvents(child, 0);
    const cut = await stored(new MemoryStorage(), [await storage.readEvents(session, 0), events.filter(({ event }) => event.type !== "RuleAdded")]);
    const again = new FakeWorld(model(), new FakeHost().add(editTool), cut);
    await again.engine.start();
    expect((await again.log(child)).rules).toMatchObject([{ effect: "deny", target: { tool: "fs_edit" } }]);
  });
});

test("a summary that is cut by one death after the other is paid for no more often than an answer", async () => {
  const storage = new MemoryStorage();
  const model = new ScriptedModel(({ system }) => (system.startsWith("You summarise") ? hanging : () => say("an answer")));
  const asked = () => model.requests.filter(({ system }) => system.startsWith("You summarise")).length;
  const first = new FakeWorld(model, new FakeHost(), storage);
  const session = await first.engine.startSession("one");
  await first.ended(session);
  await first.engine.sendMessage(session, "two");
  await first.until(session, ({ turns }) => turns[1]?.outcome === "complete");
  await first.engine.compact(session);
  let world = first;
  for (let life = 1; life < 6; life += 1) {
    await world.until(session, ({ compactRequested }) => compactRequested === null || asked() === life);
    world.die();
    world = new FakeWorld(model, new FakeHost(), storage);
    await world.engine.start();
  }
  const log = await world.until(session, ({ compactRequested }) => compactRequested === null);
  expect(asked()).toBe(BILLED_RETRIES + 1);
  expect(log.compactions).toMatchObject([{ failed: true }]);
  expect(log.turns.at(-1)?.outcome).toBe("complete");
});

async function* hanging() {
  yield { type: "text" as const, text: "What was" };
  await new Promise(() => {});
}

describe("files of a turn", () => {
  async function undone() {
    const host = new FakeHost();
    let state = "done";
    host.turns = () => [{ turn, state }];
    host.diff = () => ({ state, files: [{ path: "a.txt", op: "edit", added: 1, removed: 1, hunks: [] }] });
    host.undo = (_direction, { dry_run: isDry }) => {
      if (state === "undone") return { state: "nothing", files: [] };
      if (!isDry) state = "undone";
      return { state: isDry ? "dry_run" : "done", files: [{ path: "a.txt", action: "restore", done: !isDry }] };
    };
    const storage = new MemoryStorage();
    const world = new FakeWorld(ScriptedModel.steps(() => say("done")), host, storage);
    const session = await world.engine.startSession("go");
    const turn = (await world.ended(session)).turns[0]?.id ?? "";
    return { host, world, storage, session, turn };
  }

  const options = { dryRun: false, skipConflicts: false };

  test("that were put back by an engine that died before it wrote that down: undone once more, the log says so, and they can be redone", async () => {
    const { host, world, storage, session, turn } = await undone();
    const events = await storage.readEvents(session, 0);
    await world.engine.branches.undo(session, turn, "files", options);
    const again = await FakeWorld.restored(events, ScriptedModel.steps(), host);
    expect(await again.engine.branches.undo(session, turn, "files", options)).toMatchObject({ state: "nothing" });
    expect((await again.log(session)).undone).toMatchObject([{ turn, direction: "undo", files: [{ path: "a.txt", conflict: null }] }]);
    await again.engine.branches.undo(session, turn, "files", options);
    expect((await again.log(session)).undone).toHaveLength(1);
  });

  test("while the host dies: it is said in words, and nothing is put back", async () => {
    const { host, world, session, turn } = await undone();
    host.undo = () => {
      host.kill();
      return { state: "nothing", files: [] };
    };
    await expect(world.engine.branches.undo(session, turn, "files", options)).rejects.toMatchObject({ fault: { code: "host_silent", retryable: true } });
    expect((await world.log(session)).undone).toEqual([]);
  });
});

test("a schedule that was made before a death took its result is told as made, also when its time is over, and costs no other one", async () => {
  const storage = new MemoryStorage();
  const model = () => ScriptedModel.steps(() => callTools(["schedule", { title: "Later", task: "look", at: new Date(Date.now() + 60_000).toISOString() }]), () => say("done"));
  const first = new FakeWorld(model(), new FakeHost(), storage);
  const session = await first.engine.startSession("go");
  await first.engine.answers.approval(session, answersFor(await first.until(session, (log) => waitingCalls(log).length === 1), "allow"));
  await first.ended(session);
  await first.engine.schedules.save({ id: "other", title: "Other", task: "other", timing: { kind: "interval", minutes: 60 }, config: { workspace: null, model: "demo", mode: "ask" }, by: "user" });
  first.die();
  const events = await storage.readEvents(session, 0);
  const cut = await stored(new MemoryStorage(), [events.slice(0, events.findIndex(({ event }) => event.type === "ToolStarted") + 1)]);
  await cut.saveSetting("schedules", await storage.readSetting("schedules"));
  const again = new FakeWorld(model(), new FakeHost(), cut);
  again.clockMs = 10 * 60_000;
  await again.engine.start();
  expect(callsOf(await again.ended(session))[0]?.result).toMatchObject({ isError: false });
  expect(again.engine.schedules.list().map(({ id }) => id)).toContain("other");
  expect(again.engine.schedules.list()).toHaveLength(2);
});
