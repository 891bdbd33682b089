// Row 61: another model than the conversation's for summaries, for questions on the side and for sub-agents, where a person chose one.
import { describe, expect, test } from "vitest";
import { ModelFault, type Model } from "../llm/model.ts";
import { UNKNOWN_FACTS } from "../llm/model-facts.ts";
import { MemoryStorage } from "../storage/memory-storage.ts";
import { FakeHost } from "../testing/fake-host.ts";
import { FakeWorld } from "../testing/fake-world.ts";
import { callTools, say, ScriptedModel } from "../testing/scripted-model.ts";
import { callsOf } from "../testing/session-log.ts";
import { KeyVault } from "./key-vault.ts";
import { Models } from "./models.ts";
import { DEFAULT_SETTINGS, SettingsBook } from "./settings.ts";

const isSummary = (system: string) => system.startsWith("You summarise");

function helped(small: Model | null) {
  const own = new ScriptedModel(({ system }) => () => say(isSummary(system) ? "told by its own" : "done"));
  const world = new FakeWorld(own, new FakeHost());
  world.facts = { ...UNKNOWN_FACTS, price: () => 1 };
  if (small !== null) world.models.set("small", small);
  world.factsOf.set("small", { ...UNKNOWN_FACTS, price: () => 0.001 });
  return { own, world };
}

async function summarised(world: FakeWorld) {
  const session = await world.engine.startSession("one");
  await world.ended(session);
  await world.engine.sendMessage(session, "two");
  await world.until(session, ({ turns }) => turns[1]?.outcome === "complete");
  await world.engine.compact(session);
  return world.until(session, ({ compactions }) => compactions.length === 1);
}

describe("a summary", () => {
  test("is made by the model that was chosen for it, and counts as that model's", async () => {
    const small = new ScriptedModel(() => () => say("told by the small one"));
    const { own, world } = helped(small);
    world.helpers.summary = "small";
    const log = await summarised(world);
    expect(log.compactions[0]).toMatchObject({ summary: "told by the small one", failed: false });
    expect([own.requests.length, small.requests.length]).toEqual([2, 1]);
    const rows = await world.storage.listUsage("");
    expect(rows.map(({ model, requests, costUsd }) => [model, requests, costUsd]).toSorted()).toEqual([["demo", 2, 2], ["small", 1, 0.001]]);
    expect(log.turns[1]?.summaries[0]?.costUsd).toBe(0.001);
    expect(world.traces.map(({ model }) => model)).toEqual(["demo", "demo", "small"]);
  });

  test.each(["too_long", "browser_model", "no_model"])("that is too much for it, or that it is not there for (%s), is made by the conversation's own", async (code) => {
    const small = new ScriptedModel(() => () => {
      throw new ModelFault({ code, message: "no", hint: null, retryable: false });
    });
    const { world } = helped(small);
    world.helpers.summary = "small";
    const log = await summarised(world);
    expect(log.compactions).toMatchObject([{ summary: "told by its own", failed: false }]);
    expect((await world.storage.listUsage("")).map(({ model }) => model)).toEqual(["demo"]);
    expect(world.traces.map(({ model, code: fault }) => [model, fault]).slice(2)).toEqual([["small", code], ["demo", null]]);
  });

  test("that neither can make fails as ever, and the conversation is kept", async () => {
    const refuse = () => {
      throw new ModelFault({ code: "too_long", message: "no", hint: null, retryable: false });
    };
    const own = new ScriptedModel(({ system }) => () => (isSummary(system) ? refuse() : say("done")));
    const world = new FakeWorld(own, new FakeHost());
    world.models.set("small", new ScriptedModel(() => refuse));
    world.helpers.summary = "small";
    expect((await summarised(world)).compactions).toMatchObject([{ failed: true }]);
  });
});

test("a question on the side goes to its own model, with the same conversation before it", async () => {
  const small = new ScriptedModel(() => () => say("aside"));
  const { world } = helped(small);
  const session = await world.engine.startSession("one");
  await world.ended(session);
  world.helpers.side = "small";
  const side = await world.engine.children.side(session, "btw?");
  await world.ended(side);
  expect(small.requests[0]?.messages.map(({ text }) => text)).toEqual(["one", "done", "btw?"]);
  expect((await world.log(side)).config.model).toBe("small");
});

test("a sub-agent works with its own model, and no more rights than before", async () => {
  const small = new ScriptedModel(() => () => say("found"));
  const own = ScriptedModel.steps(() => callTools(["spawn_agent", { task: "look" }]), () => say("done"));
  const world = new FakeWorld(own, new FakeHost());
  world.models.set("small", small);
  world.helpers.agent = "small";
  const session = await world.engine.startSession("go");
  const log = await world.ended(session);
  expect(callsOf(log)[0]?.result?.text).toBe("found");
  const agent = await world.log(callsOf(log)[0]?.id ?? "");
  expect([agent.config.model, agent.config.mode, agent.turns[0]?.config.model]).toEqual(["small", "plan", "small"]);
  expect(small.requests).toHaveLength(1);
});

test("what was chosen is kept; a model that was removed is as if nothing had been", async () => {
  const storage = new MemoryStorage();
  const memory = { get: async () => null, set: async () => {}, remove: async () => {} };
  const models = new Models({ storage, vault: new KeyVault({ storage, memory }), newId: () => "m1", isPermitted: async () => true });
  await models.save({ id: null, kind: "openai_compatible", label: "Small", baseUrl: "http://127.0.0.1:1/v1", modelName: "small", apiKey: null });
  const settings = new SettingsBook(storage);
  await settings.change({ summaryModel: "m1", sideModel: 7, agentModel: "demo" });
  const again = new SettingsBook(storage);
  await again.load();
  const chosen = async () => Promise.all((["summary", "side", "agent"] as const).map((task) => models.helper(task, again.get())));
  expect(await chosen()).toEqual(["m1", null, "demo"]);
  await models.remove("m1");
  expect(await chosen()).toEqual([null, null, "demo"]);
  expect([DEFAULT_SETTINGS.summaryModel, DEFAULT_SETTINGS.sideModel, DEFAULT_SETTINGS.agentModel]).toEqual([null, null, null]);
});
