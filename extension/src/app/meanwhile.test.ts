// Rows 11, 48, 52, 68 (wishes 5, 7): what two windows, Stop and the queue do to each other when both come at once. Nothing that was
// said is ended by something else, and nothing is said or paid for that nobody asked for.
import { describe, expect, test } from "vitest";
import type { SessionLog } from "../agent/log.ts";
import { TAKES_UNKNOWN } from "../llm/model-facts.ts";
import type { ModelRequest } from "../llm/model.ts";
import { MemoryStorage } from "../storage/memory-storage.ts";
import type { Storage } from "../storage/storage.ts";
import { eventually } from "../testing/eventually.ts";
import { FakeHost } from "../testing/fake-host.ts";
import { FakeWorld } from "../testing/fake-world.ts";
import { callTools, say, ScriptedModel } from "../testing/scripted-model.ts";
import { callsOf, readTool } from "../testing/session-log.ts";

const echo = () => new ScriptedModel(({ messages }) => () => say(`re ${messages.at(-1)?.text ?? ""}`));
const textsOf = ({ turns }: SessionLog) => turns.map(({ text, outcome }) => [text, outcome]);
const isSummary = ({ system }: ModelRequest) => system.startsWith("You summarise");

async function talk(world: FakeWorld, ...texts: readonly string[]): Promise<string> {
  const session = await world.engine.startSession(texts[0] ?? "");
  await world.ended(session);
  for (const text of texts.slice(1)) {
    await world.engine.sendMessage(session, text);
    await world.until(session, ({ turns }) => turns.at(-1)?.text === text && turns.at(-1)?.outcome === "complete");
  }
  return session;
}

/** Writes its summary until it is stopped, or told to go on. */
function summariser(): { readonly model: ScriptedModel; readonly ended: () => number; readonly go: () => void } {
  let ended = 0;
  let go = () => {};
  const told = new Promise<void>((resolve) => {
    go = resolve;
  });
  const model = new ScriptedModel((request) => async function* () {
    if (!isSummary(request)) return yield* say(`long ${"y".repeat(2_000)}`);
    yield { type: "text", text: "Up to here " };
    await Promise.race([told, new Promise((resolve) => request.signal.addEventListener("abort", resolve))]);
    if (request.signal.aborted) {
      ended += 1;
      throw new DOMException("stopped", "AbortError");
    }
    yield* say("short");
  });
  return { model, ended: () => ended, go };
}

describe("a message from each of two windows at once", () => {
  test("the first is answered, the second is told that a turn runs", async () => {
    const world = new FakeWorld(echo(), new FakeHost());
    const session = await talk(world, "a");
    const sent = await Promise.allSettled([world.engine.sendMessage(session, "b"), world.engine.sendMessage(session, "c")]);
    expect(sent.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect(sent[1]).toMatchObject({ reason: { fault: { code: "busy" } } });
    expect(textsOf(await world.ended(session))).toEqual([["a", "complete"], ["b", "complete"]]);
  });

  test.each<[string, (world: FakeWorld, session: string, turn: string) => Promise<unknown>]>([
    ["fork", (world, session, turn) => world.engine.branches.fork(session, turn, "d")],
    ["edit", (world, session, turn) => world.engine.branches.edit(session, turn, "d")],
    ["retry", (world, session, turn) => world.engine.branches.retry(session, turn)],
    ["remove", (world, session, turn) => world.engine.branches.remove(session, turn)],
    ["select", (world, session) => world.engine.branches.select(session, "main")],
    ["undo", (world, session, turn) => world.engine.branches.undo(session, turn, "conversation", { dryRun: false, skipConflicts: false })],
    ["another message", (world, session) => world.engine.sendMessage(session, "d")],
  ])("%s, while a message is being written down: the message stands, and is answered", async (_name, act) => {
    const inner = new MemoryStorage();
    let isHeld = false;
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const append: Storage["append"] = async (...args) => {
      const isIt = args[0].some(({ event }) => event.type === "UserMessage" && event.text === "c");
      if (isIt) {
        isHeld = true;
        await held;
      }
      return inner.append(...args);
    };
    const storage = new Proxy(inner, { get: (target, name) => (name === "append" ? append : ((value: unknown) => (typeof value === "function" ? value.bind(target) : value))(Reflect.get(target, name, target))) });
    const world = new FakeWorld(echo(), new FakeHost(), storage);
    const session = await talk(world, "a", "b");
    const turn = (await world.log(session)).turns[0]?.id ?? "";
    await world.engine.branches.fork(session, turn, null);
    const sent = world.engine.sendMessage(session, "c");
    await eventually(() => expect(isHeld).toBe(true));
    const done = act(world, session, turn).then(() => "done", (error: unknown) => error);
    release();
    await sent;
    expect(await done).toMatchObject({ fault: { code: "busy" } });
    expect(textsOf(await world.ended(session))).toEqual([["a", "complete"], ["c", "complete"]]);
  });

  test("during an undo of files: the turn that began meanwhile goes on", async () => {
    const host = new FakeHost();
    const world = new FakeWorld(echo(), host);
    const session = await talk(world, "a", "b");
    const second = (await world.log(session)).turns[1]?.id ?? "";
    let sent: Promise<void> = Promise.resolve();
    host.undo = (_direction, { turn, dry_run: dry }) => {
      if (!dry) sent = world.engine.sendMessage(session, "meanwhile");
      return { state: dry ? "dry_run" : "done", files: [{ path: `${turn}.txt`, action: "restore", done: !dry }] };
    };
    await expect(world.engine.branches.undo(session, second, "both", { dryRun: false, skipConflicts: false })).rejects.toMatchObject({ fault: { code: "busy" } });
    await sent;
    const log = await world.ended(session);
    expect(textsOf(log)).toEqual([["a", "complete"], ["b", "complete"], ["meanwhile", "complete"]]);
    expect(log.undone).toMatchObject([{ turn: second, direction: "undo" }]);
  });

  test("two answers to one question: the second is told that it came too late", async () => {
    const question = { title: "Which?", fields: [{ id: "name", label: "Name" }] };
    const world = new FakeWorld(ScriptedModel.steps(() => callTools(["ask_question", question]), () => say("ok")), new FakeHost());
    const session = await world.engine.startSession("go");
    const call = callsOf(await world.until(session, (log) => callsOf(log)[0]?.state === "questioned"))[0]?.id ?? "";
    const { answers } = world.engine;
    const sent = await Promise.allSettled([answers.question(session, call, { name: "one" }), answers.question(session, call, { name: "two" })]);
    expect(sent).toMatchObject([{ status: "fulfilled" }, { status: "rejected", reason: { fault: { code: "no_question" } } }]);
    expect(callsOf(await world.ended(session))[0]?.result?.text).toBe('name: "one"');
  });
});

describe("what waits in the queue after a stop", () => {
  async function stopped(world: FakeWorld): Promise<string> {
    const session = await talk(world, "a");
    await world.engine.sendMessage(session, "hang");
    await world.engine.queue.add(session, "later", "queue");
    await world.until(session, ({ turns }) => turns[1]?.steps[0]?.state === "streaming");
    await world.engine.stop(session);
    await world.until(session, ({ turns }) => turns[1]?.outcome === "cancelled");
    return session;
  }

  const hanging = () => new ScriptedModel(({ messages, signal }) => async function* () {
    const last = messages.at(-1)?.text ?? "";
    if (last === "hang") await new Promise((resolve) => signal.addEventListener("abort", resolve));
    else yield* say(`re ${last}`);
  });

  test.each(["undo", "fork"] as const)("%s: it still waits for the person, also after a restart", async (kind) => {
    const world = new FakeWorld(hanging(), new FakeHost());
    const session = await stopped(world);
    const [first, second] = (await world.log(session)).turns;
    if (kind === "undo") await world.engine.branches.undo(session, second?.id ?? "", "conversation", { dryRun: false, skipConflicts: false });
    else await world.engine.branches.fork(session, first?.id ?? "", null);
    expect(await world.log(session)).toMatchObject({ turns: [{ text: "a" }], queue: [{ text: "later" }] });
    const again = await FakeWorld.restored(await world.storage.readEvents(session, 0), hanging());
    expect(await again.log(session)).toMatchObject({ turns: [{ text: "a" }], queue: [{ text: "later" }] });
    await again.engine.queue.send(session);
    expect(textsOf(await again.until(session, ({ turns }) => turns[1]?.outcome === "complete"))).toEqual([["a", "complete"], ["later", "complete"]]);
  });
});

describe("Stop while room is made", () => {
  test("asked for by hand: the request ends, nothing is summarised, and the talk goes on", async () => {
    const { model, ended } = summariser();
    const world = new FakeWorld(model, new FakeHost());
    const session = await talk(world, "one", "two", "three");
    await world.engine.compact(session);
    await world.until(session, () => model.requests.some(isSummary));
    await world.engine.stop(session);
    const log = await world.until(session, ({ compactions }) => compactions.length === 1);
    expect(log).toMatchObject({ compactRequested: null, compactions: [{ failed: true }] });
    await world.until(session, () => ended() === 1, "the end of the request");
    await world.engine.sendMessage(session, "four");
    await world.until(session, ({ turns }) => turns[3]?.outcome === "complete");
    expect(model.requests.filter(isSummary)).toHaveLength(1);
  });

  test("in the middle of a turn: the request ends with it", async () => {
    const { model, ended } = summariser();
    const reader = new ScriptedModel((request) => (isSummary(request) ? () => model.stream(request) : () => callTools(["fs_read", { path: String(request.messages.length) }])));
    const world = new FakeWorld(reader, new FakeHost().add({ ...readTool, run: () => ({ text: "x".repeat(4_000) }) }));
    world.facts = { window: 5_000, output: null, price: null, takes: TAKES_UNKNOWN };
    const session = await world.engine.startSession("read all");
    await world.until(session, () => reader.requests.some(isSummary));
    await world.engine.stop(session);
    expect((await world.ended(session)).turns[0]?.outcome).toBe("cancelled");
    await world.until(session, () => ended() === 1, "the end of the request");
    expect((await world.log(session)).compactions).toEqual([]);
  });

  test("a message that comes meanwhile waits for it, and it is paid for once", async () => {
    const { model, go } = summariser();
    const world = new FakeWorld(model, new FakeHost());
    const session = await talk(world, "one", "two", "three");
    await world.engine.compact(session);
    await world.until(session, () => model.requests.some(isSummary));
    await world.engine.sendMessage(session, "four");
    await world.until(session, ({ turns }) => turns[3]?.begun === true);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(model.requests.filter(isSummary)).toHaveLength(1);
    go();
    const log = await world.until(session, ({ turns }) => turns[3]?.outcome === "complete");
    expect(log.compactions).toMatchObject([{ summary: "Up to here short", failed: false }]);
    expect(model.requests.filter(isSummary)).toHaveLength(1);
  });

  test.each(["length", "content_filter"] as const)("a summary that ended by %s is no summary", async (reason) => {
    const model = new ScriptedModel((request) => () => (isSummary(request) ? say("The user wants").map((part) => (part.type === "finish" ? { ...part, reason } : part)) : say(`long ${"y".repeat(2_000)}`)));
    const world = new FakeWorld(model, new FakeHost());
    const session = await talk(world, "one", "two");
    await world.engine.compact(session);
    expect((await world.until(session, ({ compactions }) => compactions.length === 1)).compactions[0]).toMatchObject({ failed: true, summary: "" });
  });
});
