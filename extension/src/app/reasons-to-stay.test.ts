// Wish 3: the background stays awake while something is owed, for a card ten minutes and no longer, and for nothing else.
import { expect, test, vi } from "vitest";
import { APPROVAL_HOLD_MS } from "../agent/limits.ts";
import { eventually } from "../testing/eventually.ts";
import { FakeHost } from "../testing/fake-host.ts";
import { FakeWorld } from "../testing/fake-world.ts";
import { callTools, say, ScriptedModel } from "../testing/scripted-model.ts";
import { answersFor, execTool, waitingCalls } from "../testing/session-log.ts";

/** What is held now, by reason. */
function holdsOf(world: FakeWorld): readonly string[] {
  return held.get(world) ?? [];
}
const held = new WeakMap<FakeWorld, string[]>();

function watched(model: ScriptedModel): FakeWorld {
  const world = new FakeWorld(model, new FakeHost().add(execTool));
  const now: string[] = [];
  held.set(world, now);
  const hold = world.connection.hold.bind(world.connection);
  vi.spyOn(world.connection, "hold").mockImplementation((reason) => {
    const release = hold(reason);
    now.push(reason);
    let isOver = false;
    return () => {
      if (!isOver) now.splice(now.indexOf(reason), 1);
      isOver = true;
      release();
    };
  });
  return world;
}

test("a turn holds, a card holds, and when it is over nothing does", async () => {
  const world = watched(ScriptedModel.steps(() => callTools(["exec_run", {}]), () => say("done")));
  const session = await world.engine.startSession("go");
  const log = await world.until(session, (each) => waitingCalls(each).length === 1);
  await eventually(() => expect(holdsOf(world)).toEqual(["approval"]));
  await world.engine.answers.approval(session, answersFor(log, "allow"));
  await world.ended(session);
  await eventually(() => expect(holdsOf(world)).toEqual([]));
});

test("a card that nobody answers is let go of after ten minutes, and is there again when somebody looks", async () => {
  const world = watched(ScriptedModel.steps(() => callTools(["exec_run", {}]), () => say("done")));
  const session = await world.engine.startSession("go");
  await world.until(session, (each) => waitingCalls(each).length === 1);
  await eventually(() => expect(holdsOf(world)).toEqual(["approval"]));
  world.clockMs = APPROVAL_HOLD_MS + 1;
  await world.engine.pump();
  expect(holdsOf(world)).toEqual([]);
  const again = await world.log(session);
  expect(waitingCalls(again)).toHaveLength(1);
  await world.engine.answers.approval(session, answersFor(again, "allow"));
  expect((await world.ended(session)).turns[0]?.outcome).toBe("complete");
  await eventually(() => expect(holdsOf(world)).toEqual([]));
});

test("a turn that pauses to ask holds nothing", async () => {
  const world = watched(ScriptedModel.steps(() => callTools(["exec_run", {}]), () => say("done")));
  const session = await world.engine.startSession("go", { limits: { steps: 1 } });
  await world.engine.answers.approval(session, answersFor(await world.until(session, (each) => waitingCalls(each).length === 1), "allow"));
  await world.until(session, (each) => each.turns[0]?.paused != null);
  await eventually(() => expect(holdsOf(world)).toEqual([]));
});
