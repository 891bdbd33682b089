// Rows 22, 36 (wish 9): over the real host and its journal: a turn is undone with what its sub-agents changed, and redone with it.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, expect, test } from "vitest";
import { FakeWorld } from "../testing/fake-world.ts";
import { MortalStorage } from "../testing/mortal-storage.ts";
import { RealHost } from "../testing/real-host.ts";
import { callTools, say, ScriptedModel } from "../testing/scripted-model.ts";
import { answersFor, callsOf } from "../testing/session-log.ts";

const BINARY = process.env["OUTRIGGER_BIN"] ?? resolve(import.meta.dirname, "../../../target/debug/outrigger");
if (!existsSync(BINARY)) throw new Error(`the host is not built: ${BINARY} is missing; run \`cargo build\``);

const hosts: RealHost[] = [];
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.remove()));
});

const edit = (path: string, from: number, to: number) => ["fs_edit", { path, edits: [{ old_text: `count = ${from}`, new_text: `count = ${to}` }] }] as const;

/** The agent changes `a.txt` before its own turn does, after it, or in between. */
type Order = "first" | "last" | "between";

async function worked(order: Order) {
  const host = new RealHost(BINARY);
  hosts.push(host);
  const model = new ScriptedModel(({ messages }) => () => {
    const steps = messages.filter(({ role }) => role === "assistant").length;
    const own = order === "first" ? 0 : 1;
    if (messages[0]?.text === "work at it") return [callTools(edit("a.txt", own, own + 1), ["fs_write", { path: "theirs.txt", content: "theirs\n" }])][steps] ?? say("worked");
    const spawn = callTools(["spawn_agent", { task: "work at it", write: true }]);
    const before = callTools(edit("a.txt", 0, 1), edit("b.txt", 0, 1));
    const after = order === "first" ? callTools(edit("a.txt", 1, 2), edit("b.txt", 0, 1)) : callTools(edit("a.txt", 2, 3));
    return ({ first: [spawn, after], last: [before, spawn], between: [before, spawn, after] }[order][steps] ?? say("done"));
  });
  const world = new FakeWorld<RealHost>(model, host);
  const session = await world.engine.startSession("work");
  // Both sessions are answered until the parent's turn is over.
  let log = await world.log(session);
  while ((log.turns[0]?.outcome ?? null) === null) {
    for (const id of [session, ...callsOf(log).flatMap(({ tool, sent, id: call }) => (tool === "spawn_agent" && sent ? [call] : []))]) {
      await world.engine.answers.approval(id, answersFor(await world.log(id), "allow")).catch(() => {});
    }
    await new Promise((wake) => setTimeout(wake, 20));
    log = await world.log(session);
  }
  expect(log.turns[0]?.outcome).toBe("complete");
  const folder = () => ["a.txt", "b.txt", "theirs.txt"].map((name) => (existsSync(join(host.workspace, name)) ? readFileSync(join(host.workspace, name), "utf8").trim() : null));
  const left = [order === "between" ? "count = 3" : "count = 2", "count = 1", "theirs"];
  expect(folder()).toEqual(left);
  return { left, world, session, turn: log.turns[0]?.id ?? "", folder, host };
}

const all = { dryRun: false, skipConflicts: false };

test.each<Order>(["first", "last"])("the agent was %s: undone and redone whole, twice", async (order) => {
  const { world, session, turn, folder, left: before } = await worked(order);
  for (let round = 0; round < 2; round += 1) {
    expect(await world.engine.branches.undo(session, turn, "both", all)).toMatchObject({ state: "done" });
    expect(folder()).toEqual(["count = 0", "count = 0", null]);
    expect((await world.log(session)).turns).toHaveLength(0);
    expect(await world.engine.branches.redo(session, turn, "both", all)).toMatchObject({ state: "done" });
    expect(folder()).toEqual(before);
    expect((await world.log(session)).turns).toHaveLength(1);
  }
  world.die();
}, 120_000);

test("the agent was in between: its own turn cannot tell that from a stranger, so that nothing is done until the person says so", async () => {
  const { world, session, turn, folder, left: before } = await worked("between");
  expect(await world.engine.branches.undo(session, turn, "both", all)).toMatchObject({ state: "conflict" });
  expect(folder()).toEqual(before);
  expect(await world.engine.branches.undo(session, turn, "both", { ...all, overwrite: true })).toMatchObject({ state: "done" });
  expect(folder()).toEqual(["count = 0", "count = 0", null]);
  world.die();
}, 120_000);

test("what somebody changed since in a sub-agent's file is a conflict, and nothing is done until the person says so", async () => {
  const { world, session, turn, folder, host } = await worked("first");
  writeFileSync(join(host.workspace, "theirs.txt"), "mine now\n");
  expect(await world.engine.branches.undo(session, turn, "both", all)).toMatchObject({ state: "conflict" });
  expect(folder()).toEqual(["count = 2", "count = 1", "mine now"]);
  expect(await world.engine.branches.undo(session, turn, "both", { ...all, skipConflicts: true })).toMatchObject({ state: "done" });
  expect(folder().slice(1)).toEqual(["count = 0", "mine now"]);
  world.die();
}, 120_000);

test("what an undo replaced comes back; undone again and redone, each file is as it should be", async () => {
  const { world, session, turn, folder, host } = await worked("first");
  const { branches } = world.engine;
  const write = (content: string) => writeFileSync(join(host.workspace, "theirs.txt"), content);
  const undone = async () => (await world.log(session)).undone.flatMap((each) => each.replaced ?? []);
  write("mine\n");
  for (let round = 0; round < 2; round += 1) {
    expect(await branches.undo(session, turn, "files", all)).toMatchObject({ state: "conflict" });
    expect(await branches.undo(session, turn, "files", { ...all, skipConflicts: true, overwrite: true })).toMatchObject({ state: "done" });
    expect(folder()).toEqual(["count = 0", "count = 0", null]);
    expect(await undone()).toEqual(["theirs.txt"]);
    expect(await branches.bringBack(session, turn, all)).toMatchObject({ state: "done", files: [{ path: "theirs.txt", conflict: null }] });
    expect(folder()).toEqual(["count = 0", "count = 0", "mine"]);
    expect(await undone()).toEqual([]);
    expect(await branches.redo(session, turn, "files", all)).toMatchObject({ state: "done" });
    expect(folder()).toEqual(["count = 2", "count = 1", "mine"]);
  }
  // Written over once more before it came back, it is asked about, and that comes back, too.
  await branches.undo(session, turn, "files", { ...all, skipConflicts: true, overwrite: true });
  write("later\n");
  expect(await branches.bringBack(session, turn, all)).toMatchObject({ state: "conflict" });
  expect(await branches.bringBack(session, turn, { ...all, overwrite: true })).toMatchObject({ files: [{ replaced: true }] });
  expect(folder()[2]).toBe("mine");
  expect(await branches.bringBack(session, turn, all)).toMatchObject({ state: "done" });
  expect(folder()[2]).toBe("later");
  expect(await undone()).toEqual(["theirs.txt"]);
});

test.each([2, 3, 4])("killed at write %i of an undo, and of a redo, the next engine does the rest, once", async (at) => {
  const { world, session, turn, folder, left, host } = await worked("first");
  const { storage } = world;
  world.die();
  const killed = async (act: (engine: FakeWorld<RealHost>["engine"]) => Promise<unknown>) => {
    await new Promise<void>((died) => {
      const mortal = new MortalStorage(storage, at, "after", () => (dying.die(), died()));
      const dying = new FakeWorld<RealHost>(new ScriptedModel(() => () => say("done")), host, mortal.storage);
      act(dying.engine).catch(() => {});
    });
    const next = new FakeWorld<RealHost>(new ScriptedModel(() => () => say("done")), host, storage);
    await next.engine.start();
    const log = await next.until(session, ({ undoing }) => undoing === null);
    next.die();
    return log;
  };
  const undone = await killed((engine) => engine.branches.undo(session, turn, "both", all));
  expect([folder(), undone.turns.length]).toEqual([["count = 0", "count = 0", null], 0]);
  const redone = await killed((engine) => engine.branches.redo(session, turn, "both", all));
  expect([folder(), redone.turns.length]).toEqual([left, 1]);
}, 120_000);
