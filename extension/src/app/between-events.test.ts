// What the trials found (`trials.test.ts`), each as small as it can be: two things at the same time, or a death between two writes that belong together.
import { expect, test } from "vitest";
import type { AgentEvent, StoredEvent } from "../agent/events.ts";
import { foldEvents } from "../agent/fold.ts";
import { summarise } from "../agent/summary.ts";
import { newUlid } from "../lib/ids.ts";
import { MemoryStorage } from "../storage/memory-storage.ts";
import { FakeHost } from "../testing/fake-host.ts";
import { FakeWorld } from "../testing/fake-world.ts";
import { callTools, say, ScriptedModel } from "../testing/scripted-model.ts";
import { readTool } from "../testing/session-log.ts";

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
