// Rows 48, 49, 50, 57 (user wish 7): queue and steer while a turn runs, in order, once, and kept through a restart.
import { describe, expect, test } from "vitest";
import type { ModelPart } from "../llm/model.ts";
import type { SessionLog } from "../agent/log.ts";
import { FakeHost } from "../testing/fake-host.ts";
import { FakeWorld } from "../testing/fake-world.ts";
import { callTools, say, ScriptedModel } from "../testing/scripted-model.ts";
import { MemoryStorage } from "../storage/memory-storage.ts";
import { MortalStorage } from "../testing/mortal-storage.ts";
import { countCalls } from "../testing/provider-count.ts";
import { answersFor, editTool, execTool, readTool, waitingCalls } from "../testing/session-log.ts";

/** Answers when it is told to. */
class Gate {
  open: () => void = () => {};
  readonly passed = new Promise<void>((resolve) => {
    this.open = resolve;
  });
}

async function* after(gate: Gate, parts: readonly ModelPart[]): AsyncIterable<ModelPart> {
  await gate.passed;
  yield* parts;
}

function textsOf(log: SessionLog): readonly string[] {
  return log.turns.map((turn) => turn.text);
}

function promptOf(model: ScriptedModel, place: number): readonly string[] {
  return (model.requests[place]?.messages ?? []).map((message) => (message.role === "tool" ? "(result)" : message.text));
}

describe("row 48: the queue", () => {
  test("is said at the end of the turn, item after item, each as a turn of its own", async () => {
    const gate = new Gate();
    const model = ScriptedModel.steps(() => after(gate, say("one")), () => say("two"), () => say("three"));
    const world = new FakeWorld(model, new FakeHost());
    const session = await world.engine.startSession("first");
    await world.engine.queue.add(session, "second", "queue");
    await world.engine.queue.add(session, "third", "queue");
    expect((await world.log(session)).queue.map(({ text }) => text)).toEqual(["second", "third"]);
    gate.open();
    const log = await world.until(session, ({ turns }) => turns[2]?.outcome === "complete");
    expect(textsOf(log)).toEqual(["first", "second", "third"]);
    expect(log.queue).toEqual([]);
    expect(promptOf(model, 2)).toEqual(["first", "one", "second", "two", "third"]);
  });

  test("row 50: items are edited, moved, turned into one another and removed; what was said cannot be", async () => {
    const gate = new Gate();
    const world = new FakeWorld(ScriptedModel.steps(() => after(gate, say("one"))), new FakeHost());
    const session = await world.engine.startSession("first");
    const { queue } = world.engine;
    const [a, b, c] = [await queue.add(session, "a", "queue"), await queue.add(session, "b", "queue"), await queue.add(session, "c", "steer")];
    await queue.move(session, c, a);
    await queue.edit(session, c, { kind: "queue" });
    await queue.edit(session, b, { text: "B" });
    await queue.move(session, c, null);
    await queue.remove(session, a);
    expect((await world.log(session)).queue.map(({ text, kind }) => [text, kind])).toEqual([["B", "queue"], ["c", "queue"]]);
    gate.open();
    const log = await world.until(session, ({ turns }) => turns[2]?.outcome === "complete");
    expect(textsOf(log)).toEqual(["first", "B", "c"]);
    await expect(queue.edit(session, b, { text: "late" })).rejects.toMatchObject({ fault: { code: "already_said" } });
    await expect(queue.remove(session, a)).rejects.toMatchObject({ fault: { code: "already_said" } });
    await expect(queue.add(session, "  ", "queue")).rejects.toMatchObject({ fault: { code: "empty" } });
  });

  test("waits for the person after a stop, and is said on demand", async () => {
    const model = new ScriptedModel(() => async function* ({ signal, messages }) {
      if (messages.length > 1) return yield* say("yes");
      await new Promise((resolve) => {
        signal.addEventListener("abort", resolve);
      });
    });
    const world = new FakeWorld(model, new FakeHost());
    const session = await world.engine.startSession("first");
    await world.engine.queue.add(session, "later", "queue");
    await world.until(session, ({ turns }) => turns[0]?.steps[0]?.state === "streaming");
    await world.engine.stop(session);
    await world.until(session, ({ turns }) => turns[0]?.outcome === "cancelled");
    expect(textsOf(await world.log(session))).toEqual(["first"]);
    await world.engine.queue.send(session);
    expect(textsOf(await world.until(session, ({ turns }) => turns[1]?.outcome === "complete"))).toEqual(["first", "later"]);
  });

  test("row 49: survives a restart, also one between the end of the turn and its delivery", async () => {
    const gate = new Gate();
    const world = new FakeWorld(ScriptedModel.steps(() => after(gate, say("one")), () => say("two")), new FakeHost());
    const session = await world.engine.startSession("first");
    await world.engine.queue.add(session, "second", "queue");
    gate.open();
    await world.until(session, ({ turns }) => turns[1]?.outcome === "complete");
    const events = await world.storage.readEvents(session, 0);
    const end = events.findIndex(({ event }) => event.type === "TurnEnd");
    for (const cut of [end, end + 1, end + 2]) {
      const again = await FakeWorld.restored(events.slice(0, cut), ScriptedModel.steps(() => say("one"), () => say("two")));
      const log = await again.until(session, ({ turns }) => turns[1]?.outcome === "complete");
      expect(textsOf(log)).toEqual(["first", "second"]);
      expect(log.queue).toEqual([]);
    }
  });
});

describe("row 48: a steer", () => {
  test("is said at the next step boundary, after the results, and the turn goes on", async () => {
    const gate = new Gate();
    const model = ScriptedModel.steps(() => after(gate, callTools(["fs_read", { path: "a" }])), () => say("steered"));
    const world = new FakeWorld(model, new FakeHost().add(readTool));
    const session = await world.engine.startSession("go");
    await world.engine.queue.add(session, "look at b too", "steer");
    gate.open();
    const log = await world.ended(session);
    expect(log.turns).toHaveLength(1);
    expect(promptOf(model, 1)).toEqual(["go", "Let me see.", "(result)", "look at b too"]);
    expect(log.turns[0]?.steers).toMatchObject([{ text: "look at b too", afterSteps: 1 }]);
  });

  test("that comes during the final answer is heard before the turn ends", async () => {
    const gate = new Gate();
    const model = ScriptedModel.steps(() => after(gate, say("done")), () => say("as you like"));
    const world = new FakeWorld(model, new FakeHost());
    const session = await world.engine.startSession("go");
    await world.engine.queue.add(session, "in German", "steer");
    gate.open();
    const log = await world.ended(session);
    expect(log.turns[0]?.steps.map(({ text }) => text)).toEqual(["done", "as you like"]);
    expect(promptOf(model, 1)).toEqual(["go", "done", "in German"]);
  });

  test("waits while a card does, and never comes between a call and its result", async () => {
    const model = ScriptedModel.steps(() => callTools(["exec_run", {}]), () => say("ok"));
    const world = new FakeWorld(model, new FakeHost().add(execTool));
    const session = await world.engine.startSession("go");
    const asked = await world.until(session, (log) => waitingCalls(log).length === 1);
    await world.engine.queue.add(session, "and hurry", "steer");
    expect((await world.log(session)).queue).toHaveLength(1);
    await world.engine.answers.approval(session, answersFor(asked, "allow"));
    await world.ended(session);
    expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
  });
});

describe("rows 48, 49: at every boundary", () => {
  const script = () =>
    new ScriptedModel(({ messages }) => () => {
      const said = messages.filter(({ role }) => role === "assistant").length;
      return [callTools(["fs_read", { path: "a" }], ["fs_read", { path: "b" }]), callTools(["fs_edit", { path: "a" }], ["fs_edit", { path: "b" }]), callTools(["exec_run", {}])][said] ?? say(`done ${said}`);
    });
  const host = () => new FakeHost().add(readTool, editTool, execTool);

  /** Everything was said, nothing is said twice, and nothing stands between a call and its result. */
  async function check(world: FakeWorld, session: string, models: readonly ScriptedModel[], label: string): Promise<void> {
    const end = await world.until(session, (log) => log.queue.length === 0 && log.turns.at(-1)?.outcome === "complete", label);
    const added = (await world.storage.readEvents(session, 0)).flatMap(({ event }) => (event.type === "QueueAdded" ? [event.text] : []));
    const heard = [...end.turns.slice(1).map(({ text }) => text), ...end.turns.flatMap(({ steers }) => steers.map(({ text }) => text))];
    expect(heard.toSorted(), label).toEqual(added.toSorted());
    const requests = models.flatMap((model) => model.requests);
    expect(countCalls(requests), label).toEqual({ lost: 0, doubled: 0, orphans: 0 });
    for (const text of added) expect(requests.at(-1)?.messages.filter((message) => message.text === text), label).toHaveLength(1);
  }

  /** Allows what is asked until all that waits was said. */
  async function playOut(world: FakeWorld, session: string): Promise<void> {
    for (;;) {
      const log = await world.until(session, (each) => waitingCalls(each).length > 0 || (each.queue.length === 0 && each.turns.at(-1)?.outcome === "complete"));
      if (waitingCalls(log).length === 0) return;
      await world.engine.answers.approval(session, answersFor(log, "allow")).catch(() => {});
    }
  }

  async function add(world: FakeWorld, session: string): Promise<void> {
    await Promise.all([world.engine.queue.add(session, "then this", "queue"), world.engine.queue.add(session, "and in German", "steer"), world.engine.queue.add(session, "at last this", "queue")]);
  }

  async function length(): Promise<number> {
    const world = new FakeWorld(script(), host());
    const session = await world.engine.startSession("go");
    await playOut(world, session);
    return (await world.storage.readEvents(session, 0)).length;
  }

  test("a message that comes at any event of a turn is said once, in its place", async () => {
    const most = await length();
    for (let at = 2; at < most; at += 1) {
      const model = script();
      let session = "";
      let adding: Promise<void> | null = null;
      const world: FakeWorld = new FakeWorld(model, host(), new MemoryStorage(), (written) => {
        if (written >= at && session !== "") adding ??= add(world, session);
      });
      session = await world.engine.startSession("go");
      await playOut(world, session);
      await adding;
      await playOut(world, session);
      await check(world, session, [model], `at ${at}`);
      world.die();
    }
  });

  test("and the engine dies before or after any event that follows: what was kept is said once", async () => {
    const most = (await length()) + 20;
    for (const death of ["after", "before"] as const) {
      for (let at = 4; at < most; at += 1) {
        const inner = new MemoryStorage();
        const real = host();
        const models = [script(), script()];
        let died: () => void = () => {};
        const end = new Promise<void>((resolve) => {
          died = resolve;
        });
        const mortal = new MortalStorage(inner, at, death, () => (first.die(), died()));
        const first: FakeWorld = new FakeWorld(models[0] as ScriptedModel, real, mortal.storage);
        const session = await first.engine.startSession("go");
        const life = add(first, session).then(() => playOut(first, session));
        life.catch(() => {});
        await Promise.race([end, life]);
        const next = mortal.isDead ? new FakeWorld(models[1] as ScriptedModel, real, inner) : first;
        if (mortal.isDead) await next.engine.start();
        await playOut(next, session);
        await check(next, session, models, `${death} ${at}`);
        for (const [what, times] of real.effects) expect(times, `${death} ${at}: ${what}`).toBe(1);
        next.die();
      }
    }
  });
});
