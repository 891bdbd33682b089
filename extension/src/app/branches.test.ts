// Rows 36, 62 (wishes 9, 12): branches, editing and undoing lose nothing, and files are put back by the host or not at all.
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { viewSession } from "../agent/projection.ts";
import { FakeHost } from "../testing/fake-host.ts";
import { FakeWorld } from "../testing/fake-world.ts";
import { callTools, say, ScriptedModel } from "../testing/scripted-model.ts";
import { allowAll, callsOf, editTool } from "../testing/session-log.ts";

/** Answers with what was last said. */
const echo = () => new ScriptedModel(({ messages }) => () => say(`re ${messages.at(-1)?.text ?? ""}`));

async function talk(world: FakeWorld, ...texts: readonly string[]): Promise<string> {
  const session = await world.engine.startSession(texts[0] ?? "");
  await world.ended(session);
  for (const text of texts.slice(1)) await further(world, session, text);
  return session;
}

async function further(world: FakeWorld, session: string, text: string): Promise<void> {
  await world.engine.sendMessage(session, text);
  await world.until(session, ({ turns }) => turns.at(-1)?.text === text && turns.at(-1)?.outcome === "complete");
}

async function said(world: FakeWorld, session: string): Promise<readonly string[]> {
  return (await world.log(session)).turns.map(({ text }) => text);
}

describe("row 62: branches", () => {
  test("a fork goes on after a turn; the other branch is kept whole and can be taken up again", async () => {
    const model = echo();
    const world = new FakeWorld(model, new FakeHost());
    const session = await talk(world, "a", "b", "c");
    const first = (await world.log(session)).turns[0]?.id ?? "";
    const branch = await world.engine.branches.fork(session, first, null);
    await further(world, session, "d");
    expect(await said(world, session)).toEqual(["a", "d"]);
    expect(model.requests.at(-1)?.messages.map(({ text }) => text)).toEqual(["a", "re a", "d"]);
    await world.engine.branches.select(session, "main");
    await further(world, session, "e");
    expect(await said(world, session)).toEqual(["a", "b", "c", "e"]);
    expect(model.requests.at(-1)?.messages.map(({ text }) => text).join()).not.toContain("d,");
    const view = viewSession(await world.log(session));
    expect(view.branches.map(({ id, isCurrent, turns }) => [id === branch ? "fork" : id, isCurrent, turns.map(({ text }) => text).join("")])).toEqual([["main", true, "abce"], ["fork", false, "ad"]]);
  });

  test("a message in other words is a branch of its own, from the beginning too", async () => {
    const world = new FakeWorld(echo(), new FakeHost());
    const session = await talk(world, "a", "b");
    const [first, second] = (await world.log(session)).turns;
    await world.engine.branches.edit(session, second?.id ?? "", "B");
    await world.until(session, ({ turns }) => turns.at(-1)?.outcome === "complete");
    expect(await said(world, session)).toEqual(["a", "B"]);
    await world.engine.branches.edit(session, first?.id ?? "", "A");
    await world.until(session, ({ turns }) => turns.length === 1 && turns[0]?.outcome === "complete");
    expect(await said(world, session)).toEqual(["A"]);
    expect((await world.log(session)).branches.map(({ kind }) => kind)).toEqual(["main", "edit", "edit"]);
  });

  test("after a restart the same branch is current, and the others are there", async () => {
    const world = new FakeWorld(echo(), new FakeHost());
    const session = await talk(world, "a", "b");
    await world.engine.branches.fork(session, (await world.log(session)).turns[0]?.id ?? "", "c");
    await world.until(session, ({ turns }) => turns.at(-1)?.text === "c" && turns.at(-1)?.outcome === "complete");
    const again = await FakeWorld.restored(await world.storage.readEvents(session, 0), echo());
    expect(await said(again, session)).toEqual(["a", "c"]);
    await again.engine.branches.select(session, "main");
    expect(await said(again, session)).toEqual(["a", "b"]);
  });

  test("nothing is left behind while it runs, and what is not there cannot be chosen", async () => {
    const model = new ScriptedModel(({ signal }) => async function* () {
      yield { type: "text", text: "…" };
      await new Promise((resolve) => {
        signal.addEventListener("abort", resolve);
      });
    });
    const world = new FakeWorld(model, new FakeHost());
    const session = await world.engine.startSession("a");
    await world.until(session, ({ turns }) => turns[0]?.steps[0]?.text === "…");
    await expect(world.engine.branches.fork(session, null, "b")).rejects.toMatchObject({ fault: { code: "busy" } });
    await world.engine.stop(session);
    await world.ended(session);
    await expect(world.engine.branches.select(session, "nowhere")).rejects.toMatchObject({ fault: { code: "no_turn" } });
    await expect(world.engine.branches.fork(session, "nowhere", null)).rejects.toMatchObject({ fault: { code: "no_turn" } });
  });

  test("whatever is forked, selected and undone, no turn that was ever said is lost", async () => {
    const act = fc.oneof(
      fc.record({ kind: fc.constant("say" as const) }),
      fc.record({ kind: fc.constant("fork" as const), at: fc.nat(5) }),
      fc.record({ kind: fc.constant("select" as const), at: fc.nat(5) }),
      fc.record({ kind: fc.constant("undo" as const), at: fc.nat(5) }),
      fc.record({ kind: fc.constant("redo" as const), at: fc.nat(5) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 8 }), async (acts) => {
        const world = new FakeWorld(echo(), new FakeHost());
        const session = await talk(world, "0");
        const all = new Set(["0"]);
        for (const [place, each] of acts.entries()) {
          const { turns, branches } = await world.log(session);
          const turn = turns[each.kind === "say" ? 0 : each.at % Math.max(1, turns.length)]?.id ?? null;
          const any = branches.flatMap((branch) => branch.turns)[each.kind === "say" ? 0 : each.at]?.id ?? "";
          if (each.kind === "say") {
            all.add(`${place + 1}`);
            await further(world, session, `${place + 1}`);
          }
          if (each.kind === "fork") await world.engine.branches.fork(session, turn, null);
          if (each.kind === "select") await world.engine.branches.select(session, branches[each.at % branches.length]?.id ?? "").catch(() => {});
          if (each.kind === "undo" && turn !== null) await world.engine.branches.undo(session, turn, "conversation", { dryRun: false, skipConflicts: false });
          if (each.kind === "redo") await world.engine.branches.redo(session, any, "conversation", { dryRun: false, skipConflicts: false }).catch(() => {});
        }
        const kept = new Set(viewSession(await world.log(session)).branches.flatMap(({ turns }) => turns.map(({ text }) => text)));
        expect(kept).toEqual(all);
      }),
      { numRuns: 40 },
    );
  });
});

describe("row 36: undo and redo", () => {
  test("the conversation: the turn is gone from what the model sees, and comes back whole", async () => {
    const model = echo();
    const world = new FakeWorld(model, new FakeHost());
    const session = await talk(world, "a", "b", "c");
    const second = (await world.log(session)).turns[1]?.id ?? "";
    expect(await world.engine.branches.undo(session, second, "conversation", { dryRun: false, skipConflicts: false })).toEqual({ state: "done", files: [] });
    expect(await said(world, session)).toEqual(["a"]);
    await world.engine.branches.redo(session, second, "conversation", { dryRun: false, skipConflicts: false });
    expect(await said(world, session)).toEqual(["a", "b", "c"]);
  });

  test("files: of the turn and those after it, the newest first; redo goes the other way", async () => {
    const host = new FakeHost();
    const asked: string[] = [];
    host.undo = (direction, { turn, dry_run: dry }) => {
      if (!dry) asked.push(`${direction} ${turn}`);
      return { state: dry ? "dry_run" : "done", files: [{ path: `${turn}.txt`, action: "restore" }] };
    };
    const world = new FakeWorld(echo(), host);
    const session = await talk(world, "a", "b", "c");
    const [, second, third] = (await world.log(session)).turns.map(({ id }) => id);
    const dry = await world.engine.branches.undo(session, second ?? "", "both", { dryRun: true, skipConflicts: false });
    expect(dry).toMatchObject({ state: "dry_run", files: [{ turn: third }, { turn: second }] });
    expect(asked).toEqual([]);
    expect(await world.engine.branches.undo(session, second ?? "", "both", { dryRun: false, skipConflicts: false })).toMatchObject({ state: "done" });
    expect(asked).toEqual([`undo ${third}`, `undo ${second}`]);
    expect(await said(world, session)).toEqual(["a"]);
    await world.engine.branches.redo(session, second ?? "", "both", { dryRun: false, skipConflicts: false });
    expect(asked.slice(2)).toEqual([`redo ${second}`, `redo ${third}`]);
    expect(await said(world, session)).toEqual(["a", "b", "c"]);
    expect((await world.log(session)).undone.map(({ direction }) => direction)).toEqual(["redo", "redo"]);
  });

  test("a file that was changed since: nothing is done, the conversation stays; the person may leave it as it is", async () => {
    const host = new FakeHost();
    let done = 0;
    host.undo = (_direction, { dry_run: dry, skip_conflicts: skip }) => {
      if (!dry) done += 1;
      return { state: skip ? "partly" : "conflict", files: [{ path: "a.txt", action: "restore", conflict: "it was changed since" }, { path: "b.txt", action: "restore" }] };
    };
    const world = new FakeWorld(echo(), host);
    const session = await talk(world, "a");
    const turn = (await world.log(session)).turns[0]?.id ?? "";
    expect(await world.engine.branches.undo(session, turn, "both", { dryRun: false, skipConflicts: false })).toMatchObject({ state: "conflict", files: [{ path: "a.txt", conflict: "it was changed since" }, { path: "b.txt" }] });
    expect(done).toBe(0);
    expect(await said(world, session)).toEqual(["a"]);
    expect(await world.engine.branches.undo(session, turn, "both", { dryRun: false, skipConflicts: true })).toMatchObject({ state: "done" });
    expect(done).toBe(1);
    expect(await said(world, session)).toEqual([]);
    expect((await world.log(session)).undone).toMatchObject([{ state: "partly" }]);
  });

  test("what an undo replaced comes back by the key of that undo, and the log says what stands", async () => {
    const host = new FakeHost();
    const file = { path: "a.txt", action: "restore", done: true };
    const replaced = [{ call: "K", paths: ["a.txt"] }];
    const asked: Record<string, unknown>[] = [];
    let held = false;
    host.undo = (direction, params) => {
      asked.push({ direction, ...params });
      if (params.dry_run) return { state: "dry_run", files: [{ ...file, done: false, ...(held ? {} : { conflict: "it has changed since" }) }] };
      const bringsBack = params.turn === "K";
      held = !bringsBack;
      return { state: "done", direction: bringsBack ? "redo" : "undo", files: [bringsBack ? file : { ...file, conflict: "it has changed since", replaced: true }, ...(bringsBack ? [] : [{ ...file, path: "b.txt" }])] };
    };
    const world = new FakeWorld(echo(), host);
    const session = await talk(world, "a");
    const turn = (await world.log(session)).turns[0]?.id ?? "";
    host.turns = () => [{ turn, state: "undone", replaced: held ? replaced : [] }];
    const { branches } = world.engine;
    const over = { dryRun: false, skipConflicts: true, overwrite: true };
    for (let round = 0; round < 2; round += 1) {
      expect(await branches.undo(session, turn, "files", over)).toMatchObject({ state: "done", files: [{ path: "a.txt", conflict: null, replaced: true }, { path: "b.txt" }] });
      expect((await world.log(session)).undone).toMatchObject([{ turn, direction: "undo", replaced: ["a.txt"] }]);
      expect(await branches.bringBack(session, turn, { ...over, overwrite: false, skipConflicts: false })).toMatchObject({ state: "done", files: [{ path: "a.txt" }] });
      expect(asked.at(-1)).toMatchObject({ direction: "undo", turn: "K", paths: ["a.txt"] });
      // The other file is undone still, so it can be redone; of this one somebody else's version stands.
      const { undone } = await world.log(session);
      expect(undone).toMatchObject([{ direction: "undo", files: [{ path: "b.txt", conflict: null }, { path: "a.txt", conflict: "it has changed since" }] }]);
      expect(undone[0]?.replaced).toBeUndefined();
      expect(await branches.bringBack(session, turn, over)).toMatchObject({ state: "nothing" });
    }
    const keys = asked.flatMap((each) => (each["dry_run"] === true ? [] : [each["call"]]));
    expect(new Set(keys).size).toBe(4);
  });

  test("what one undo left alone and another did adds up, and a redo in part leaves the rest undone", async () => {
    const host = new FakeHost();
    let files: Record<string, unknown>[] = [];
    host.undo = (_direction, { dry_run: dry }) => ({ state: dry ? "dry_run" : "partly", files: dry ? [] : files });
    const world = new FakeWorld(echo(), host);
    const session = await talk(world, "a");
    const turn = (await world.log(session)).turns[0]?.id ?? "";
    const has = (path: string, conflict?: string) => ({ path, action: "restore", ...(conflict === undefined ? { done: true } : { conflict }) });
    const steps = [
      ["undo", [has("a"), has("b", "changed"), has("c")], "undo a b! c"],
      ["undo", [has("b")], "undo a c b"],
      ["redo", [has("a"), has("c", "changed")], "undo b c"],
      ["redo", [has("b"), has("c")], "redo b c"],
    ] as const;
    for (const [way, now, expected] of steps) {
      files = [...now];
      await world.engine.branches[way](session, turn, "files", { dryRun: false, skipConflicts: true });
      const [log] = (await world.log(session)).undone;
      expect([log?.direction, ...(log?.files ?? []).map(({ path, conflict }) => (conflict === null ? path : `${path}!`))].join(" ")).toBe(expected);
    }
  });

  test("row 22: what sub-agents changed goes with the turn they worked for, and comes back with it", async () => {
    const host = new FakeHost().add(editTool);
    const state = new Map<string, "done" | "undone">();
    const files: Record<string, readonly string[]> = {};
    const asked: string[] = [];
    let foreign: string | null = null;
    host.undo = (direction, { turn, dry_run: dry, skip_conflicts: skip }) => {
      const is = state.get(turn) ?? "done";
      const mine = (is === "done") === (direction === "undo") ? (files[turn] ?? []) : [];
      // Both changed `both.txt`, the agent first: it is as one of them left it, and never as the other knows it.
      const [own = "", other = ""] = Object.keys(files);
      const isKnown = direction === "undo" ? turn === own || state.get(own) === "undone" : turn === other || state.get(other) === "done";
      const conflicts = mine.filter((path) => path === foreign || (path === "both.txt" && !isKnown));
      if (!dry && (conflicts.length === 0 || skip)) {
        asked.push(`${direction} ${turn}`);
        state.set(turn, direction === "undo" ? "undone" : "done");
      }
      return { state: dry ? "dry_run" : conflicts.length === 0 ? "done" : skip ? "partly" : "conflict", files: mine.map((path) => ({ path, action: "restore", ...(conflicts.includes(path) ? { conflict: "it was changed since" } : {}) })) };
    };
    const model = new ScriptedModel(({ messages }) => () => {
      const steps = messages.filter(({ role }) => role === "assistant").length;
      if (messages[0]?.text === "do it") return steps === 0 ? callTools(["fs_edit", { path: "theirs.txt" }]) : say("did it");
      return steps === 0 ? callTools(["spawn_agent", { task: "do it", write: true }]) : say("done");
    });
    const world = new FakeWorld(model, host);
    const session = await world.engine.startSession("work");
    const child = callsOf(await world.until(session, (log) => callsOf(log)[0]?.sent === true))[0]?.id ?? "";
    await allowAll(world, child);
    const [turn] = (await world.ended(session)).turns.map(({ id }) => id);
    const [agent] = (await world.log(child)).turns.map(({ id }) => id);
    files[turn ?? ""] = ["mine.txt", "both.txt"];
    files[agent ?? ""] = ["theirs.txt", "both.txt"];
    const all = { dryRun: false, skipConflicts: false };

    expect(await world.engine.branches.undo(session, turn ?? "", "both", { ...all, dryRun: true })).toMatchObject({ state: "dry_run", files: [{ path: "mine.txt", turn }, { path: "both.txt", turn }, { path: "theirs.txt", turn: agent }, { path: "both.txt", turn: agent, conflict: null }] });
    foreign = "theirs.txt";
    expect(await world.engine.branches.undo(session, turn ?? "", "both", all)).toMatchObject({ state: "conflict" });
    expect(asked).toEqual([]);
    foreign = null;
    expect(await world.engine.branches.undo(session, turn ?? "", "both", all)).toMatchObject({ state: "done" });
    expect(asked).toEqual([`undo ${turn}`, `undo ${agent}`]);
    expect(await said(world, session)).toEqual([]);
    expect(await world.engine.branches.redo(session, turn ?? "", "both", all)).toMatchObject({ state: "done" });
    expect(asked.slice(2)).toEqual([`redo ${agent}`, `redo ${turn}`]);
    expect(await said(world, session)).toEqual(["work"]);
  });
});
