// What was written and not sent outlives the panel and the worker, and goes with its session.
import { expect, test } from "vitest";
import { MemoryStorage } from "../storage/memory-storage.ts";
import { FakeHost } from "../testing/fake-host.ts";
import { FakeWorld } from "../testing/fake-world.ts";
import { say, ScriptedModel } from "../testing/scripted-model.ts";

const file = { kind: "file" as const, name: "notes.txt", mediaType: "text/plain", source: null, text: "hello" };
const begin = async (storage = new MemoryStorage()) => {
  const world = new FakeWorld(ScriptedModel.steps(() => say("ok")), new FakeHost(), storage);
  await world.engine.start();
  return world;
};

test("words and chips are there again after a restart, each beside its session", async () => {
  const storage = new MemoryStorage();
  const { engine } = await begin(storage);
  const chip = await engine.attach(null, file);
  await engine.drafts.keep(null, { text: "a long task", attachments: [chip.id] });
  await engine.drafts.keep("s", { text: "and more", attachments: [] });
  const again = (await begin(storage)).engine;
  expect(await again.drafts.read(null)).toEqual({ text: "a long task", attachments: [chip] });
  expect(await again.drafts.read("s")).toEqual({ text: "and more", attachments: [] });
  expect(await again.drafts.read("other")).toEqual({ text: "", attachments: [] });
  expect(again.drafts.attachments).toEqual([chip.id]);
});

test("a chip that a message took along is no longer beside the words", async () => {
  const { engine } = await begin();
  const chip = await engine.attach(null, file);
  await engine.drafts.keep(null, { text: "", attachments: [chip.id] });
  await engine.startSession("look", {}, [chip.id]);
  expect(await engine.drafts.read(null)).toEqual({ text: "", attachments: [] });
});

test("it goes with its session, and with everything", async () => {
  const storage = new MemoryStorage();
  const world = await begin(storage);
  const { engine } = world;
  const session = await engine.startSession("go");
  await world.ended(session);
  await engine.drafts.keep(session, { text: "one", attachments: [] });
  await engine.drafts.keep(null, { text: "two", attachments: [] });
  await engine.deleteSession(session);
  expect(await storage.readSetting("drafts")).toEqual({ "": { text: "two", attachments: [] } });
  await engine.deleteAll(false);
  expect(await storage.readSetting("drafts")).toEqual({});
});

test("what does not read as drafts is none", async () => {
  const storage = new MemoryStorage();
  for (const odd of [7, { s: "text" }, null]) {
    await storage.saveSetting("drafts", odd);
    expect(await (await begin(storage)).engine.drafts.read("s")).toEqual({ text: "", attachments: [] });
  }
});

test("what was chosen on cards is kept beside the words, and neither takes the other along", async () => {
  const storage = new MemoryStorage();
  const { engine } = await begin(storage);
  await engine.drafts.keepCards("s", "[1]");
  await engine.drafts.keep("s", { text: "words", attachments: [] });
  await engine.drafts.keep("s", { text: "", attachments: [] });
  const again = (await begin(storage)).engine;
  expect([again.drafts.readCards("s"), again.drafts.readCards("other")]).toEqual(["[1]", null]);
  expect(await again.drafts.read("s")).toEqual({ text: "", attachments: [] });
  await again.drafts.keepCards("s", "x".repeat(300_000));
  expect(again.drafts.readCards("s")).toBeNull();
  expect(await storage.readSetting("drafts")).toEqual({});
});
