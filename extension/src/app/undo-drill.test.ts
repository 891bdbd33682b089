// Rows 36, 51 (wishes 9, 12): files of a turn are taken back and brought back whole, with what its sub-agents changed, whatever dies on the way.
import { describe, expect, test } from "vitest";
import { STALE_TURN_MS } from "../agent/limits.ts";
import type { AgentEvent } from "../agent/events.ts";
import { viewSession } from "../agent/projection.ts";
import { MemoryStorage } from "../storage/memory-storage.ts";
import { FakeHost, RpcFailure } from "../testing/fake-host.ts";
import { FakeWorld } from "../testing/fake-world.ts";
import { MortalStorage, type Death } from "../testing/mortal-storage.ts";
import { callTools, say, ScriptedModel } from "../testing/scripted-model.ts";

/** A host that knows how the files of each turn stand, and what undos have replaced. */
function filesHost() {
  const host = new FakeHost();
  const undone = new Set<string>();
  const replaced = new Map<string, { turn: string; call: string }>();
  host.diff = (turn) => ({ state: undone.has(turn) ? "undone" : "done", files: [{ path: `${turn}.txt`, op: "edit", added: 1, removed: 0, hunks: [] }] });
  host.turns = () => [...turns].map((turn) => ({ turn, state: undone.has(turn) ? "undone" : "done", replaced: [...replaced.values()].filter((each) => each.turn === turn).map(({ call }) => ({ call, paths: [`${turn}.txt`] })) }));
  const turns = new Set<string>();
  const acts: string[] = [];
  /** Somebody else wrote into all of them. */
  const others = { wrote: false };
  host.undo = (direction, { turn, dry_run: isDry, ...more }) => {
    const back = replaced.get(turn);
    if (back !== undefined) {
      if (!isDry) {
        replaced.delete(turn);
        acts.push(`back ${back.turn}`);
      }
      return { state: isDry ? "dry_run" : "done", direction: "redo", files: [{ path: `${back.turn}.txt`, action: "restore", done: !isDry }] };
    }
    turns.add(turn);
    const isDue = undone.has(turn) === (direction === "redo");
    if (!isDue || isDry) return { state: isDry ? "dry_run" : "nothing", files: isDue ? [{ path: `${turn}.txt`, action: "restore" }] : [] };
    const overwrites = (more as { overwrite?: boolean }).overwrite === true;
    if (others.wrote && !overwrites) return { state: "partly", files: [{ path: `${turn}.txt`, action: "restore", conflict: "it has changed since", done: false }] };
    acts.push(`${direction} ${turn}`);
    if (direction === "undo") undone.add(turn);
    else undone.delete(turn);
    const call = String((more as { call?: string }).call);
    if (overwrites && direction === "undo") replaced.set(call, { turn, call });
    return { state: "done", files: [{ path: `${turn}.txt`, action: "restore", done: true, ...(overwrites ? { conflict: "it has changed since", replaced: true } : {}) }] };
  };
  return { host, undone, acts, replaced, others };
}

const model = () => new ScriptedModel(({ messages }) => () => (messages[0]?.text === "look" || messages.at(-1)?.role === "tool" ? say("done") : callTools(["spawn_agent", { task: "look" }], ["spawn_agent", { task: "look" }])));

async function worked() {
  const files = filesHost();
  const storage = new MemoryStorage();
  const world = new FakeWorld(model(), files.host, storage);
  const session = await world.engine.startSession("first");
  await world.ended(session);
  await world.engine.sendMessage(session, "second");
  const log = await world.until(session, (each) => each.turns[1]?.outcome === "complete");
  const own = log.turns.map(({ id }) => id);
  const agents = await Promise.all((await world.engine.children.of(session)).map(async ({ id }) => (await world.log(id)).turns[0]?.id ?? ""));
  world.die();
  return { ...files, storage, session, own, all: [...own, ...agents] };
}

type Worked = Awaited<ReturnType<typeof worked>>;
type Act = (world: FakeWorld, worked: Worked) => Promise<unknown>;

const options = { dryRun: false, skipConflicts: false };

/** What the engine writes down while it does this. */
async function rehearsed(before: readonly Act[], act: Act): Promise<readonly AgentEvent["type"][]> {
  const all = await prepared(before);
  const world = new FakeWorld(model(), all.host, all.storage);
  const from = (await all.storage.readEvents(all.session, 0)).length;
  await act(world, all);
  world.die();
  return (await all.storage.readEvents(all.session, from)).map(({ event }) => event.type);
}

async function prepared(before: readonly Act[]): Promise<Worked> {
  const all = await worked();
  const world = new FakeWorld(model(), all.host, all.storage);
  for (const each of before) await each(world, all);
  world.die();
  return all;
}

/** The engine dies at this write, and another one is started `awayMs` later. */
async function killed(before: readonly Act[], act: Act, at: number, death: Death, awayMs = 0) {
  const all = await prepared(before);
  const died = new Promise<void>((resolve) => {
    const mortal = new MortalStorage(all.storage, at, death, () => (world.die(), resolve()));
    const world = new FakeWorld(model(), all.host, mortal.storage);
    act(world, all).catch(() => {});
  });
  await died;
  const world = new FakeWorld(model(), all.host, all.storage);
  world.clockMs = awayMs;
  await world.engine.start();
  const log = await world.until(all.session, ({ undoing }) => undoing === null, "the end of the undo");
  world.die();
  return { ...all, log, world };
}

const undo = (what: "files" | "both"): Act => (world, { session, own }) => world.engine.branches.undo(session, own[0] ?? "", what, options);
const redo = (what: "files" | "both"): Act => (world, { session, own }) => world.engine.branches.redo(session, own[0] ?? "", what, options);
const overwrite: Act = async (world, { session, own, others }) => {
  others.wrote = true;
  await world.engine.branches.undo(session, own[0] ?? "", "files", { ...options, skipConflicts: true, overwrite: true });
  others.wrote = false;
};
const bringBack: Act = (world, { session, own }) => world.engine.branches.bringBack(session, own[0] ?? "", { ...options, skipConflicts: true });

describe("killed at each of its writes, before and after", () => {
  test.each<["files" | "both"]>([["files"], ["both"]])("an undo (%s) is whole", async (what) => {
    const types = await rehearsed([], undo(what));
    expect(types.filter((type) => type === "UndoDone")).toHaveLength(6);
    for (let at = 1; at <= types.length; at += 1) {
      for (const death of ["before", "after"] as const) {
        const { undone, all, acts, log } = await killed([], undo(what), at, death);
        const isAsked = at > 1 || death === "after";
        expect([...undone].toSorted(), `${death} ${at} ${types[at - 1]}`).toEqual(isAsked ? all.toSorted() : []);
        expect(new Set(acts).size).toBe(acts.length);
        expect(log.undone.filter(({ direction }) => direction === "undo").map(({ turn }) => turn).toSorted()).toEqual([...undone].toSorted());
        expect(log.turns).toHaveLength(isAsked && what === "both" ? 0 : 2);
      }
    }
  });

  test.each<["files" | "both"]>([["files"], ["both"]])("a redo (%s) is whole", async (what) => {
    const types = await rehearsed([undo(what)], redo(what));
    for (let at = 1; at <= types.length; at += 1) {
      for (const death of ["before", "after"] as const) {
        const { undone, all, log } = await killed([undo(what)], redo(what), at, death);
        const isAsked = at > 1 || death === "after";
        expect([...undone].toSorted(), `${death} ${at} ${types[at - 1]}`).toEqual(isAsked ? [] : all.toSorted());
        expect(log.undone.filter(({ direction }) => direction === "undo").map(({ turn }) => turn).toSorted()).toEqual([...undone].toSorted());
        expect(log.turns).toHaveLength(isAsked || what === "files" ? 2 : 0);
      }
    }
  });

  test("what an undo had replaced is brought back whole, and the log says so", async () => {
    const types = await rehearsed([overwrite], bringBack);
    expect(types.filter((type) => type === "UndoDone")).toHaveLength(6);
    for (let at = 1; at <= types.length; at += 1) {
      for (const death of ["before", "after"] as const) {
        const { replaced, log } = await killed([overwrite], bringBack, at, death);
        const isAsked = at > 1 || death === "after";
        expect(replaced.size, `${death} ${at} ${types[at - 1]}`).toBe(isAsked ? 0 : 6);
        expect(log.undone.flatMap((each) => each.replaced ?? [])).toHaveLength(isAsked ? 0 : 6);
      }
    }
  });
});

test("what was left half done so long ago is not gone on with behind a person's back; asked for again, it is whole", async () => {
  const { undone, log, acts, all, storage, host, session, own } = await killed([], undo("files"), 3, "after", STALE_TURN_MS + 60_000);
  expect(undone.size).toBe(2);
  expect(log.undoing).toBeNull();
  expect(viewSession(log).undoLeft).toMatchObject({ act: "undo", turn: own[0] });
  const world = new FakeWorld(model(), host, storage);
  await world.engine.branches.undo(session, own[0] ?? "", "files", options);
  expect([undone.size, new Set(acts).size]).toEqual([all.length, all.length]);
  expect(viewSession(await world.log(session)).undoLeft).toBeNull();
  world.die();
});

test.each<[string, readonly Act[], Act]>([["an undo", [], undo("both")], ["a redo", [undo("both")], redo("both")]])("%s of conversation and files, left half done at each of its writes for so long: asked for again as it was, both are whole", async (_name, before, act) => {
  const types = await rehearsed(before, act);
  const isRedo = before.length > 0;
  for (let at = 1; at < types.length; at += 1) {
    const { undone, log, all, storage, host, session } = await killed(before, act, at, "after", STALE_TURN_MS + 60_000);
    const left = viewSession(log).undoLeft;
    // Nothing more was done behind the person's back.
    const isMoved = types.slice(0, at).some((type) => type === "BranchStart" || type === "BranchSelected");
    expect(log.turns).toHaveLength(isRedo === isMoved ? 2 : 0);
    if (isMoved && !isRedo) expect(left).toBeNull();
    else expect(left, types[at - 1]).toMatchObject({ act: isRedo ? "redo" : "undo", what: "both" });
    const world = new FakeWorld(model(), host, storage);
    if (left?.act === "undo") await world.engine.branches.undo(session, left.turn, left.what, options);
    else if (left) await world.engine.branches.redo(session, left.turn, left.what, options);
    const after = await world.log(session);
    expect([[...undone].toSorted(), after.turns.length]).toEqual(isRedo ? [[], 2] : [all.toSorted(), 0]);
    expect(viewSession(after).undoLeft).toBeNull();
    world.die();
  }
});

test("what an undo had replaced, left half brought back for so long: asked for again it is whole, and the log says so", async () => {
  const types = await rehearsed([overwrite], bringBack);
  for (let at = 1; at < types.length; at += 1) {
    const { replaced, storage, host, session, own } = await killed([overwrite], bringBack, at, "before", STALE_TURN_MS + 60_000);
    if (at === 1) continue;
    const world = new FakeWorld(model(), host, storage);
    await world.engine.branches.bringBack(session, own[0] ?? "", { ...options, skipConflicts: true });
    expect([replaced.size, (await world.log(session)).undone.flatMap((each) => each.replaced ?? [])], `${at} ${types[at - 1]}`).toEqual([0, []]);
    world.die();
  }
});

test.each<["files" | "both"]>([["files"], ["both"]])("the host dies at each write of an undo (%s), and its next process finishes it", async (what) => {
  const types = await rehearsed([], undo(what));
  for (let at = 1; at < types.length; at += 1) {
    const all = await worked();
    const world = new FakeWorld(model(), all.host, all.storage, (written) => written === at && all.host.kill());
    expect(await undo(what)(world, all), types[at - 1]).toMatchObject({ state: "done" });
    const log = await world.log(all.session);
    expect([[...all.undone].toSorted(), log.undoing, log.turns.length]).toEqual([all.all.toSorted(), null, what === "both" ? 0 : 2]);
    world.die();
  }
});

test("a host that dies of it each time is not asked for ever, and the person is told", async () => {
  const { host, storage, session, own } = await worked();
  const world = new FakeWorld(model(), host, storage);
  const put = host.undo;
  let asked = 0;
  host.undo = (direction, params) => {
    if (params.dry_run) return put(direction, params);
    asked += 1;
    host.kill();
    return { state: "nothing", files: [] };
  };
  await expect(world.engine.branches.undo(session, own[0] ?? "", "files", options)).rejects.toMatchObject({ fault: { code: "host_silent", retryable: true } });
  const log = await world.log(session);
  expect([log.undoing, log.undoLeft?.turn]).toEqual([null, own[0]]);
  expect(asked).toBeLessThan(8);
  world.die();
});

test("a host without room says so, with a name of its own, and is asked again when there is some", async () => {
  const { host, storage, session, own } = await worked();
  const world = new FakeWorld(model(), host, storage);
  const put = host.undo;
  host.undo = (direction, params) => {
    if (params.dry_run) return put(direction, params);
    throw new RpcFailure(-32_052, "the journal cannot be used: database or disk is full", { reason: "disk_full", hint: "free space where the state folder lies" });
  };
  const again = () => world.engine.branches.undo(session, own[0] ?? "", "files", options);
  await expect(again()).rejects.toMatchObject({ fault: { code: "undo_no_room", retryable: true, message: expect.stringContaining("disk is full") } });
  host.undo = put;
  expect(await again()).toMatchObject({ state: "done" });
  world.die();
});

test("a host that is lost on the way: what is left is put back when there is one again", async () => {
  const { host, undone, all, storage, session, own } = await worked();
  const world = new FakeWorld(model(), host, storage);
  const put = host.undo;
  let asked = 0;
  host.undo = (direction, params) => {
    const answer = put(direction, params);
    if (params.dry_run || (asked += 1) !== 2) return answer;
    host.missing = "Specified native messaging host not found.";
    host.kill();
    return answer;
  };
  await expect(world.engine.branches.undo(session, own[0] ?? "", "files", options)).rejects.toMatchObject({ fault: { retryable: true } });
  expect(undone.size).toBe(2);
  host.missing = null;
  world.connection.retry();
  await world.until(session, ({ undoing }) => undoing === null);
  expect([...undone].toSorted()).toEqual(all.toSorted());
  world.die();
});

test("killed on the way, and there is no host at the next start: the rest is done when there is one, also where it is asked for again meanwhile", async () => {
  for (const isAsked of [false, true]) {
    const all = await prepared([]);
    await new Promise<void>((resolve) => {
      const mortal = new MortalStorage(all.storage, 2, "after", () => (world.die(), resolve()));
      const world = new FakeWorld(model(), all.host, mortal.storage);
      undo("files")(world, all).catch(() => {});
    });
    all.host.missing = "Specified native messaging host not found.";
    const world = new FakeWorld(model(), all.host, all.storage);
    await world.engine.start();
    await expect.poll(() => world.connection.view.get().state).toBe("failed");
    if (isAsked) await expect(undo("files")(world, all)).rejects.toMatchObject({ fault: { code: "host_not_found" } });
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect([all.undone.size, (await world.log(all.session)).undoing?.act]).toEqual([1, "undo"]);
    all.host.missing = null;
    world.connection.retry();
    await world.until(all.session, ({ undoing }) => undoing === null);
    expect([...all.undone].toSorted()).toEqual(all.all.toSorted());
    expect((await world.log(all.session)).undoLeft).toBeNull();
    world.die();
  }
});

test("one that the host was never asked for is not made up for later", async () => {
  const { host, undone, storage, session, own } = await worked();
  const world = new FakeWorld(model(), host, storage);
  host.undo = () => {
    throw new Error("not now");
  };
  await expect(world.engine.branches.undo(session, own[0] ?? "", "files", options)).rejects.toMatchObject({ fault: {} });
  const log = await world.log(session);
  expect([log.undoing, log.undoLeft, undone.size]).toEqual([null, null, 0]);
  world.die();
});
