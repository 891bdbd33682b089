// Rows 44, 77: what an older version stored is read by this one. `fixtures/version-N.json` is a database as version N left it.
import "fake-indexeddb/auto";
import { Dexie } from "dexie";
import { afterEach, describe, expect, test } from "vitest";
import { FakeHost } from "../testing/fake-host.ts";
import { FakeWorld } from "../testing/fake-world.ts";
import { say, ScriptedModel } from "../testing/scripted-model.ts";
import { allowAll, callsOf, execTool, waitingCalls } from "../testing/session-log.ts";
import { DATABASE, DexieStorage } from "./dexie-storage.ts";

const fixtures = Object.values(import.meta.glob<Fixture>("./fixtures/*.json", { eager: true, import: "default" }));

interface Fixture {
  readonly version: number;
  readonly tables: Readonly<Record<string, readonly Record<string, unknown>[]>>;
}

/** The stores of each version that was ever released, as they were then: never changed. */
const STORES: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  1: { events: "[session+seq], session", sessions: "id, updatedAt", models: "id", keys: "model", settings: "name" },
  2: { events: "[session+seq], session", sessions: "id, updatedAt, origin.session", models: "id", keys: "model", settings: "name" },
  3: { events: "[session+seq], session", sessions: "id, updatedAt, origin.session", models: "id", keys: "model", settings: "name", contents: "id, session", docs: "id, session, *words", indexed: "session", sizes: "session", usage: "[day+model]" },
};

const open: DexieStorage[] = [];
afterEach(async () => {
  for (const storage of open.splice(0)) storage.close();
  await Dexie.delete(DATABASE);
});

async function restore(fixture: Fixture): Promise<DexieStorage> {
  const old = new Dexie(DATABASE);
  old.version(fixture.version).stores(STORES[fixture.version] ?? {});
  await old.open();
  for (const [name, rows] of Object.entries(fixture.tables)) await old.table(name).bulkAdd([...rows]);
  old.close();
  const storage = await DexieStorage.open();
  open.push(storage);
  return storage;
}

test("every version before this one has a fixture", async () => {
  const storage = await DexieStorage.open();
  open.push(storage);
  const database = await new Dexie(DATABASE).open();
  const { verno } = database;
  database.close();
  expect(fixtures.map(({ version }) => version).toSorted()).toEqual(Array.from({ length: verno - 1 }, (_, place) => place + 1));
});

describe.each(fixtures)("version $version", (fixture) => {
  test("nothing is lost: sessions, events, models, keys, settings", async () => {
    const storage = await restore(fixture);
    const { events = [], sessions = [], models = [], keys = [] } = fixture.tables;
    expect((await storage.listSessions()).map(({ id }) => id).toSorted()).toEqual(sessions.map((row) => row["id"]).toSorted());
    for (const session of sessions) {
      const stored = await storage.readEvents(String(session["id"]), 0);
      expect(stored).toEqual(events.filter((event) => event["session"] === session["id"]));
      expect(await storage.listChildren(String(session["id"]))).toEqual([]);
    }
    expect(await storage.listModels()).toEqual(models);
    for (const row of keys) expect(await storage.readKey(String(row["model"]))).toBe(row["key"]);
    expect(await storage.readSetting("defaults")).toMatchObject({ mode: "accept_edits", model: "m1" });
    const { contents = [], sizes = [], usage = [] } = fixture.tables;
    for (const content of contents) expect(await storage.readContent(String(content["id"]))).toEqual(content);
    expect(await storage.listSizes()).toEqual(sizes);
    expect(await storage.listUsage("2026-01-01")).toEqual(usage);
  });

  test("what was said then is found now", async () => {
    const storage = await restore(fixture);
    const world = new FakeWorld(new ScriptedModel(() => () => say("ok")), new FakeHost(), storage);
    await world.engine.library.index.catchUp(await storage.listSessions());
    const [row] = await storage.listSessions();
    expect((await world.engine.library.index.find("fix", await storage.listSessions())).map((hit) => hit.row.id)).toEqual([row?.id]);
    await storage.deleteSession(row?.id ?? "");
    expect(await storage.findDocs("")).toEqual([]);
    expect(await storage.findDocs("fix")).toEqual([]);
  });

  test("a session that waited then is gone on with now", async () => {
    const storage = await restore(fixture);
    const [row] = await storage.listSessions();
    const host = new FakeHost().add(execTool);
    const world = new FakeWorld(new ScriptedModel(() => () => say("tested")), host, storage);
    await world.engine.start();
    const session = row?.id ?? "";
    const log = await world.until(session, (each) => waitingCalls(each).length === 1);
    expect(log.turns.map(({ text }) => text)).toEqual(["fix it", "now test"]);
    const done = await allowAll(world, session);
    expect(done.turns[1]).toMatchObject({ outcome: "complete", steps: [{}, { text: "tested" }] });
    expect(callsOf(done).every((call) => call.result !== null)).toBe(true);
    expect(world.engine.defaults).toMatchObject({ model: "m1", mode: "accept_edits" });
  });
});
