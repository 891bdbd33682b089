// Rows 48, 49, 50, 57 (user wish 7): queue and steer while a turn runs, in order, once, and kept through a restart.
import { describe, expect, test } from "vitest";
import type { ModelPart } from "../llm/model.ts";
import type { SessionLog } from "../agent/log.ts";
import { FakeHost } from "../testing/fake-host.ts";
import { FakeWorld } from "../testing/fake-world.ts";
import { callTools, say, ScriptedModel } from "../testing/scripted-model.ts";
import { answersFor, execTool, readTool, waitingCalls } from "../testing/session-log.ts";

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
