// Rows 51, 52, 53, 80 (ancestor faults 9, 10; user wishes 2, 3, 4, 6): the engine or the host dies at every event of a session.
import { describe, expect, test } from "vitest";
import { drill, drillHost, faultsOf, rehearse, type Scenario } from "../testing/drill.ts";
import { FakeHost } from "../testing/fake-host.ts";
import { callTools, say, ScriptedModel } from "../testing/scripted-model.ts";
import { allowAll, editTool, execTool, readTool } from "../testing/session-log.ts";

const slow = (ms: number) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, ms);
  });

const work: Scenario = {
  task: "work",
  isSameTalk: true,
  host: () => new FakeHost().add(readTool, editTool, { ...execTool, run: async () => (await slow(5), { text: "exit 0" }) }),
  model: () =>
    ScriptedModel.steps(
      () => callTools(["fs_read", { path: "a" }], ["fs_read", { path: "b" }]),
      () => callTools(["fs_edit", { path: "a" }], ["fs_edit", { path: "b" }]),
      () => callTools(["exec_run", { command: "test" }], ["fs_read", { path: "a" }]),
      () => say("done"),
    ),
  finish: allowAll,
};

/** Several at a time: each mostly waits. */
async function forEach(count: number, run: (at: number) => Promise<void>): Promise<void> {
  for (let first = 1; first <= count; first += 12) {
    await Promise.all(Array.from({ length: Math.min(12, count - first + 1) }, (_, place) => run(first + place)));
  }
}

describe("rows 51, 52, 53: lost 0, doubled 0, orphans 0", () => {
  test("a session where nothing goes wrong has none either, and the count can see them", async () => {
    const whole = await rehearse(work);
    expect(faultsOf(whole)).toEqual([]);
    expect(whole.events.length).toBeGreaterThan(30);
    whole.host.effects.set("fs_edit", 2);
    expect(faultsOf({ ...whole, count: { lost: 1, doubled: 0, orphans: 2 } })).toHaveLength(3);
  });

  test.each(["after", "before"] as const)("the engine dies %s each event is stored", async (death) => {
    const { events } = await rehearse(work);
    await forEach(events.length, async (at) => {
      const done = await drill(work, at, death);
      expect(faultsOf(done), `event ${at}: ${events[at - 1]?.event.type}`).toEqual([]);
      expect(done.died).toBe(true);
    });
  });

  test("the host dies at each event", async () => {
    const { events } = await rehearse(work);
    await forEach(events.length - 1, async (at) => {
      const done = await drillHost(work, at);
      expect(faultsOf(done), `event ${at}: ${events[at - 1]?.event.type}`).toEqual([]);
      expect(done.died).toBe(true);
    });
  });
});
