// Both places keep the log the same way: in order, once, and keys apart.
import "fake-indexeddb/auto";
import { Dexie } from "dexie";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Attachment, AttachmentContent } from "../wire/attachment.ts";
import type { AgentEvent, StoredEvent } from "../wire/events.ts";
import { DATABASE, DexieStorage } from "./dexie-storage.ts";
import { openStorage } from "./open-storage.ts";
import { MemoryStorage } from "./memory-storage.ts";
import { SequenceTaken, type SessionRow, type Storage } from "./storage.ts";

const opened: DexieStorage[] = [];
afterEach(async () => {
  for (const storage of opened.splice(0)) storage.close();
  await Dexie.delete(DATABASE);
});

const places: readonly (readonly [string, () => Promise<Storage>])[] = [
  [
    "IndexedDB",
    async () => {
      const storage = await DexieStorage.open();
      opened.push(storage);
      return storage;
    },
  ],
  ["memory", async () => new MemoryStorage()],
];

function row(id: string, seq: number): SessionRow {
  return { id, title: id, status: "running", workspace: null, model: "demo", createdAt: 1, updatedAt: seq, waiting: 0, seq };
}

function event(session: string, seq: number, inner: AgentEvent = { type: "TitleSet", title: `${seq}`, by: "engine" }): StoredEvent {
  return { session, seq, id: `e${seq}`, parent: seq === 1 ? null : `e${seq - 1}`, at: seq, event: inner };
}

describe.each(places)("%s", (_name, open) => {
  test("rows 14, 78, ancestor fault 17: keeps events in order, also where deltas are written without waiting", async () => {
    const storage = await open();
    const writes = Array.from({ length: 60 }, (_, place) => storage.append([event("a", place + 1)], row("a", place + 1), place % 3 === 0));
    await Promise.all(writes);
    expect((await storage.readEvents("a", 0)).map(({ seq }) => seq)).toEqual(Array.from({ length: 60 }, (_, place) => place + 1));
    expect((await storage.readEvents("a", 57)).map(({ seq }) => seq)).toEqual([58, 59, 60]);
    expect(await storage.readEvents("b", 0)).toEqual([]);
  });

  test("a second writer is refused, and nothing of it stays", async () => {
    const storage = await open();
    await storage.append([event("a", 1), event("a", 2)], row("a", 2), true);
    await expect(storage.append([event("a", 2, { type: "TitleSet", title: "other", by: "user" })], { ...row("a", 2), title: "other" }, true)).rejects.toThrow(SequenceTaken);
    expect(await storage.readEvents("a", 0)).toEqual([event("a", 1), event("a", 2)]);
    expect((await storage.listSessions()).map(({ title }) => title)).toEqual(["a"]);
  });

  test("lists sessions newest first, and deletes one whole", async () => {
    const storage = await open();
    await storage.append([event("a", 1)], { ...row("a", 1), updatedAt: 10 }, true);
    await storage.append([event("b", 1)], { ...row("b", 1), updatedAt: 20 }, true);
    expect((await storage.listSessions()).map(({ id }) => id)).toEqual(["b", "a"]);
    await storage.deleteSession("b");
    expect((await storage.listSessions()).map(({ id }) => id)).toEqual(["a"]);
    expect(await storage.readEvents("b", 0)).toEqual([]);
  });

  test("a key is nowhere but under its own name, and goes with its model", async () => {
    const storage = await open();
    await storage.saveModel({ id: "m", label: "M", baseUrl: "http://localhost:1/v1", modelName: "m" });
    await storage.saveKey("m", "sk-secret");
    expect(JSON.stringify(await storage.listModels())).not.toContain("sk-secret");
    expect(await storage.readKey("m")).toBe("sk-secret");
    await storage.deleteModel("m");
    expect(await storage.readKey("m")).toBeNull();
    expect(await storage.listModels()).toEqual([]);
  });

  test("finds what belongs to a session, oldest first", async () => {
    const storage = await open();
    const origin = { kind: "subagent" as const, session: "a", by: "c" };
    await storage.append([event("a", 1)], row("a", 1), true);
    await storage.append([event("c", 1)], { ...row("c", 1), createdAt: 3, origin }, true);
    await storage.append([event("b", 1)], { ...row("b", 1), createdAt: 2, origin }, true);
    await storage.append([event("d", 1)], { ...row("d", 1), origin: { ...origin, session: "b" } }, true);
    expect((await storage.listChildren("a")).map(({ id }) => id)).toEqual(["b", "c"]);
  });

  test("row 77: a turn is found by the beginnings of its words, and no longer by those it lost; nothing of it outlives its session", async () => {
    const storage = await open();
    const doc = (session: string, turn: string, ...words: readonly string[]) => ({ id: `${session}/${turn}`, session, turn, words, text: words.join(" ") });
    await storage.saveDocs("a", 4, [doc("a", "t1", "sum", "summary", "𐐷eseret"), doc("a", "t2", "total")]);
    await storage.saveDocs("ab", 2, [doc("ab", "t1", "assume", "失败")]);
    const found = async (term: string) => [...(await storage.findDocs(term))].toSorted();
    expect(await found("sum")).toEqual(["a/t1"]);
    expect(await found("s")).toEqual(["a/t1"]);
    expect(await found("𐐷")).toEqual(["a/t1"]);
    expect(await found("失")).toEqual(["ab/t1"]);
    expect(await found("ssume")).toEqual([]);
    expect(await found("")).toEqual(["a/t1", "a/t2", "ab/t1"]);
    await storage.saveDocs("a", 6, [doc("a", "t1", "total", "summary")]);
    expect([await found("sum"), await found("total"), await found("𐐷")]).toEqual([["a/t1"], ["a/t1", "a/t2"], []]);
    expect((await storage.readDocs(["a/t1", "gone"])).map(({ session, turn, text }) => [session, turn, text])).toEqual([["a", "t1", "total summary"]]);
    await storage.deleteSession("a");
    expect([await found("sum"), await found("total"), await found("as")]).toEqual([[], [], ["ab/t1"]]);
    expect([...(await storage.listIndexed()).keys()]).toEqual(["ab"]);
    await storage.clear(false);
    expect(await found("")).toEqual([]);
  });

  test("settings are kept", async () => {
    const storage = await open();
    expect(await storage.readSetting("defaults")).toBeNull();
    await storage.saveSetting("defaults", { mode: "plan" });
    expect(await storage.readSetting("defaults")).toEqual({ mode: "plan" });
  });
});

test("rows 20, 77: where the browser offers no IndexedDB, as in some private windows, sessions are kept in memory and it is said", async () => {
  const { indexedDB } = globalThis;
  Reflect.set(globalThis, "indexedDB", undefined);
  Dexie.dependencies.indexedDB = undefined as never;
  try {
    expect((await openStorage()).memoryOnly).toBe(true);
  } finally {
    Reflect.set(globalThis, "indexedDB", indexedDB);
    Dexie.dependencies.indexedDB = indexedDB;
  }
  const storage = await openStorage();
  opened.push(storage as DexieStorage);
  expect(storage.memoryOnly).toBe(false);
});

test("what was written is there after a restart", async () => {
  const first = await DexieStorage.open();
  await first.append([event("a", 1)], row("a", 1), true);
  first.close();
  const second = await DexieStorage.open();
  opened.push(second);
  expect(await second.readEvents("a", 0)).toEqual([event("a", 1)]);
});

test("row 51: a boundary is on the disk before it counts, a delta is not waited for", async () => {
  const made = vi.spyOn(IDBDatabase.prototype, "transaction");
  const storage = await DexieStorage.open();
  opened.push(storage);
  const durabilityOf = async (work: () => Promise<unknown>) => {
    made.mockClear();
    await work();
    return made.mock.calls.filter(([, mode]) => mode === "readwrite").map(([, , options]) => options?.durability);
  };
  expect(await durabilityOf(() => storage.append([event("a", 1)], row("a", 1), true))).toEqual(["strict"]);
  expect(await durabilityOf(() => storage.append([event("a", 2)], row("a", 2), false))).toEqual(["relaxed"]);
  expect(await durabilityOf(() => storage.saveKey("m", "k"))).toEqual(["strict"]);
});

/** The last is changed at most once in its life: when a message takes it along. */
const INDEXED = ["sessions: origin.session", "contents: session"];

test("what comes and goes has no index: a browser keeps what an index had of it; and no word outlives its session", async () => {
  const storage = await DexieStorage.open();
  opened.push(storage);
  await storage.saveDocs("a", 1, [{ id: "a/t", session: "a", turn: "t", words: ["sum", "total"], text: "sum total" }]);
  await storage.deleteSession("a");
  const database = await new Dexie(DATABASE).open();
  expect(database.tables.flatMap(({ name, schema }) => schema.indexes.map((index) => `${name}: ${index.name}`)).toSorted()).toEqual(INDEXED.toSorted());
  const left = await Promise.all(database.tables.map(async (table) => [table.name, await table.count()] as const));
  database.close();
  expect(left.filter(([, count]) => count > 0)).toEqual([]);
});

test("no two transactions ever write at the same time: all of them share a store", async () => {
  const made = vi.spyOn(IDBDatabase.prototype, "transaction");
  const storage = await DexieStorage.open();
  opened.push(storage);
  await storage.append([event("a", 1)], row("a", 1), true, [{ day: "2026-11-21", model: "m", label: "m", requests: 1, inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0, costUsd: 0, unpriced: 0 }]);
  await storage.append([event("a", 2)], row("a", 2), false);
  await Promise.all([
    storage.saveRow(row("a", 2)),
    storage.saveDocs("a", 1, [{ id: "a/1", session: "a", turn: "1", words: ["w"], text: "w" }]),
    storage.saveSize({ session: "a", seq: 1, bytes: 1 }),
    storage.saveModel({ id: "m", label: "m", baseUrl: "http://x", modelName: "m" }),
    storage.saveKey("m", "k"),
    storage.saveKey("m", null),
    storage.deleteModel("m"),
    storage.saveSetting("s", 1),
    storage.saveContent({ id: "c", session: "", at: 1, attachment: {} as Attachment, content: {} as AttachmentContent }),
    storage.deleteContent("c"),
    storage.deleteSession("a"),
    storage.clear(true),
  ]);
  const writing = made.mock.calls.filter(([, mode]) => mode === "readwrite").map(([stores]) => stores);
  expect(writing.length).toBeGreaterThan(12);
  for (const stores of writing) expect(stores).toContain("sessions");
});
