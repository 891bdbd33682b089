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

async function openIt(run: RunMemory | null = null, room: number | null = null): Promise<Storage> {
  const storage = await openStorage({ run, pause, room: async () => room });
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

describe("a full disk", () => {
  const unknown = () => Object.assign(new Error("Internal error opening backing store"), { name: "UnknownError" });

  test("memory does not take its place, at once and under whichever name the browser has for it", async () => {
    const open = vi.spyOn(DexieStorage, "open").mockRejectedValue(unknown());
    await expect(openIt(null, 0)).rejects.toMatchObject({ name: "StoreShut", isFull: true });
    open.mockRejectedValue(Object.assign(new Error("no room"), { name: "OpenFailedError", inner: Object.assign(new Error("no room"), { name: "QuotaExceededError" }) }));
    await expect(openIt()).rejects.toMatchObject({ name: "StoreShut", isFull: true });
    expect(pause).not.toHaveBeenCalled();
  });

  test("a store that did not open begins a log of its own before anything is written to it", async () => {
    const run = runMemory();
    await openIt(run);
    const deletions = vi.spyOn(indexedDB, "deleteDatabase");
    vi.spyOn(DexieStorage, "open").mockRejectedValueOnce(unknown());
    await expect(openIt(run, 0)).rejects.toMatchObject({ name: "StoreShut" });
    expect(deletions).not.toHaveBeenCalled();
    expect((await openIt(run)).memoryOnly).toBe(false);
    expect(deletions).toHaveBeenCalledTimes(1);
  });

  test("behind a log of an earlier run nothing is begun, not even opened", async () => {
    const open = vi.spyOn(DexieStorage, "open");
    const deletions = vi.spyOn(indexedDB, "deleteDatabase");
    const run = runMemory();
    await expect(openIt(run, 0)).rejects.toMatchObject({ name: "StoreShut", isFull: true });
    expect([open, deletions].map(({ mock }) => mock.calls.length)).toEqual([0, 0]);
    await openIt(run, 100_000_000);
    expect([open, deletions].map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
  });

  test("one that fills up while the log is begun is no other", async () => {
    let room = 100_000_000;
    vi.spyOn(indexedDB, "deleteDatabase").mockImplementationOnce(() => {
      room = 0;
      throw new Error("UnknownError");
    });
    const run = runMemory();
    await expect(openStorage({ run, pause, room: async () => room })).rejects.toMatchObject({ name: "StoreShut", isFull: true });
    expect((await openIt(run)).memoryOnly).toBe(false);
  });

  test("a window without a store has memory, however little room there is", async () => {
    vi.spyOn(DexieStorage, "open").mockRejectedValue(Object.assign(new Error("private"), { name: "OpenFailedError", inner: { name: "InvalidStateError" } }));
    expect((await openIt(null, 0)).memoryOnly).toBe(true);
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
