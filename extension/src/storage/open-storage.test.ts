// The store is opened with patience, its log is begun anew once in each run of the browser, and deleting everything is no loss.
import "fake-indexeddb/auto";
import { Dexie } from "dexie";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { DATABASE, DexieStorage } from "./dexie-storage.ts";
import { openStorage, type RunMemory } from "./open-storage.ts";
import { Witness, WITNESS } from "./witness.ts";
import type { Storage } from "./storage.ts";

const opened: Storage[] = [];
const pause = vi.fn(async () => {});
beforeEach(() => pause.mockClear());
afterEach(async () => {
  for (const storage of opened.splice(0)) (storage as DexieStorage).close?.();
  await Dexie.delete(DATABASE);
});

async function openIt(run: RunMemory | null = null): Promise<Storage> {
  const storage = await openStorage({ run, pause });
  opened.push(storage);
  return storage;
}

function runMemory(): RunMemory {
  const values = new Map<string, unknown>();
  return { get: async (name) => values.get(name), set: async (name, value) => void values.set(name, value) };
}

describe("a log of its own", () => {
  test("each run of the browser begins one, each background of it does not", async () => {
    const deletions = vi.spyOn(indexedDB, "deleteDatabase");
    const run = runMemory();
    await openIt(run);
    expect(deletions).toHaveBeenCalledTimes(1);
    await openIt(run);
    expect(deletions).toHaveBeenCalledTimes(1);
    await openIt(runMemory());
    expect(deletions).toHaveBeenCalledTimes(2);
    expect((await indexedDB.databases()).map(({ name }) => name)).toEqual([DATABASE]);
  });

  test("it comes before the first write", async () => {
    const first = vi.spyOn(indexedDB, "deleteDatabase");
    const storage = await openIt(runMemory());
    const puts = vi.spyOn(IDBObjectStore.prototype, "put");
    await storage.saveSetting("a", 1);
    expect(first.mock.invocationCallOrder[0]).toBeLessThan(puts.mock.invocationCallOrder[0] ?? 0);
  });

  test("where it cannot be done, the store is there all the same", async () => {
    vi.spyOn(indexedDB, "deleteDatabase").mockImplementationOnce(() => {
      throw new Error("no");
    });
    expect((await openIt({ get: () => Promise.reject(new Error("no")), set: () => Promise.reject(new Error("no")) })).memoryOnly).toBe(false);
  });
});

describe("patience", () => {
  test("a store that does not open at once is tried again before memory takes its place", async () => {
    const open = vi.spyOn(DexieStorage, "open").mockRejectedValueOnce(Object.assign(new Error("held"), { name: "OpenFailedError", inner: { name: "UnknownError" } }));
    expect((await openIt()).memoryOnly).toBe(false);
    expect(open).toHaveBeenCalledTimes(2);
    open.mockRejectedValue(Object.assign(new Error("held"), { name: "UnknownError" }));
    expect((await openIt()).memoryOnly).toBe(true);
    expect(open).toHaveBeenCalledTimes(6);
  });

  test("a window without a store is not kept waiting", async () => {
    vi.spyOn(DexieStorage, "open").mockRejectedValue(Object.assign(new Error("private"), { name: "OpenFailedError", inner: { name: "InvalidStateError" } }));
    expect((await openIt()).memoryOnly).toBe(true);
    expect(pause).not.toHaveBeenCalled();
  });
});

test("who deletes everything has lost nothing", async () => {
  const storage = await openIt();
  let record: unknown = null;
  const area = { read: async () => record, write: async (next: unknown) => void (record = next) };
  await Witness.compare(storage, area, { now: 1, newId: () => "w" });
  await storage.saveSetting("other", 1);
  await storage.clear(true);
  expect(await storage.readSetting("other")).toBeNull();
  expect(await storage.readSetting(WITNESS)).toBe("w");
  expect((await Witness.compare(storage, area, { now: 2, newId: () => "x" })).loss).toBeNull();
});
