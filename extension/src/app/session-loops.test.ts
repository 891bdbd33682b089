// Row 67: sessions that nobody asks for do not stay in memory; what works or waits does, and whoever comes back finds all of it.
import { expect, test } from "vitest";
import { say, callTools, ScriptedModel } from "../testing/scripted-model.ts";
import { FakeHost } from "../testing/fake-host.ts";
import { FakeWorld } from "../testing/fake-world.ts";
import { execTool, waitingCalls } from "../testing/session-log.ts";
import { SessionLoops } from "./session-loops.ts";

test("an idle one is let go of, and taken up again as it was; one that waits is kept", async () => {
  const model = new ScriptedModel((request) => () => (request.messages[0]?.text === "wait" ? callTools(["exec_run", { command: "x" }]) : say("ok")));
  const world = new FakeWorld(model, new FakeHost().add(execTool));
  const idle = await world.engine.startSession("idle");
  await world.ended(idle);
  const waits = await world.engine.startSession("wait");
  await world.until(waits, (log) => waitingCalls(log).length === 1);

  let now = 0;
  const held: string[] = [];
  const loops = new SessionLoops({
    storage: world.storage,
    world: { now: () => now, host: () => null, hold: () => () => {}, hostReady: () => new Promise(() => {}) } as never,
    lock: async (session) => {
      held.push(session);
      return () => held.splice(held.indexOf(session), 1);
    },
    onEvents: () => {},
    onSessions: () => {},
  });
  const first = await loops.take(idle);
  await loops.take(waits);
  expect(held).toEqual([idle, waits]);
  now += 60 * 60_000;
  await loops.take("another");
  await expect.poll(() => first.closed).toBe(true);
  expect(held).toEqual([waits, "another"]);
  expect((await loops.take(idle)).log.turns).toHaveLength(1);
});
