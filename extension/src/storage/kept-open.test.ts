// A store that the browser shuts is opened anew, by a log of its own, as soon as there is room; until then all of it says why.
import "fake-indexeddb/auto";
import { Dexie } from "dexie";
import { afterEach, expect, test, vi } from "vitest";
import { eventually } from "../testing/eventually.ts";
import { DATABASE, DexieStorage } from "./dexie-storage.ts";
import { keptOpen, type Keeping } from "./kept-open.ts";
import { openStorage } from "./open-storage.ts";
import { StoreShut } from "./store-shut.ts";

const opened: DexieStorage[] = [];
const openOne = async () => {
  const storage = await DexieStorage.open();
  opened.push(storage);
  return storage;
};

afterEach(async () => {
  vi.useRealTimers();
  for (const storage of opened.splice(0)) storage.close();
  await Dexie.delete(DATABASE);
});

/** As the browser does it: both connections go, and say so. */
function shutBy(shut: DexieStorage): void {
  vi.spyOn(shut, "isOpen", "get").mockReturnValue(false);
  shut.onShut();
}

async function kept(more: Partial<Keeping> = {}) {
  const first = await openOne();
  const told: (boolean | null)[] = [];
  const open = vi.fn(openOne);
  let room: number | null = 0;
  const storage = keptOpen(first, { open, room: async () => room, onDoubt: async () => {}, onChange: (shut) => told.push(shut?.isFull ?? null), ...more });
  return { first, told, open, storage, makeRoom: () => (room = 100_000_000) };
}

test("without room nothing is opened, and what is asked for says that the disk is full; with it, all goes on", async () => {
  const { first, told, open, storage, makeRoom } = await kept({ everyMs: 60_000 });
  await storage.saveSetting("a", 1);
  shutBy(first);
  await expect(storage.readSetting("a")).rejects.toMatchObject({ name: "StoreShut", isFull: true });
  expect(open).not.toHaveBeenCalled();
  makeRoom();
  const reads = [storage.readSetting("a"), storage.saveSetting("b", 2), storage.listSessions()];
  expect(await Promise.all(reads)).toEqual([1, undefined, []]);
  expect(open).toHaveBeenCalledTimes(1);
  expect(told.at(0)).toBe(true);
  expect(told.at(-1)).toBeNull();
});

test("whoever makes room need press nothing", async () => {
  const { first, told, makeRoom } = await kept({ everyMs: 20 });
  shutBy(first);
  await eventually(() => expect(told).toContain(true));
  makeRoom();
  await eventually(() => expect(told.at(-1)).toBeNull());
});

test("one that does not open for another reason says that, with the reason", async () => {
  const { first, storage, makeRoom } = await kept({ open: () => Promise.reject(new Error("Internal error opening backing store")), everyMs: 60_000 });
  makeRoom();
  shutBy(first);
  const error = await storage.listSessions().catch((fault: unknown) => fault);
  expect(error).toBeInstanceOf(StoreShut);
  expect(error).toMatchObject({ isFull: false, cause: { message: "Internal error opening backing store" } });
});

test("what found no room is told only when the next background would know it", async () => {
  let known = (): void => {};
  const doubt = vi.fn(() => new Promise<void>((resolve) => (known = resolve)));
  const { first, storage } = await kept({ onDoubt: doubt });
  vi.spyOn(first, "saveSetting").mockRejectedValue(Object.assign(new Error("no room"), { name: "QuotaExceededError" }));
  const told = vi.fn();
  const saving = storage.saveSetting("a", 1).catch(told);
  await eventually(() => expect(doubt).toHaveBeenCalledTimes(1));
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(told).not.toHaveBeenCalled();
  known();
  await saving;
  expect(told).toHaveBeenCalledWith(expect.objectContaining({ name: "QuotaExceededError" }));
  // What else fails says nothing of the log.
  vi.spyOn(first, "saveSetting").mockRejectedValue(new Error("no"));
  await expect(storage.saveSetting("a", 1)).rejects.toThrow("no");
  expect(doubt).toHaveBeenCalledTimes(1);
});

test("a write that found no room leaves the log in doubt for the next background", async () => {
  const values = new Map<string, unknown>();
  const storage = await openStorage({ run: { get: async (name) => values.get(name), set: async (name, value) => void values.set(name, value) } });
  expect(values.get("outrigger.fresh-log")).toBe(true);
  vi.spyOn(DexieStorage.prototype, "saveSetting").mockRejectedValueOnce(Object.assign(new Error("no room"), { name: "QuotaExceededError" }));
  await expect(storage.saveSetting("a", 1)).rejects.toThrow("no room");
  expect(values.get("outrigger.fresh-log")).toBe(false);
  (storage as DexieStorage).close();
});

test("a connection that was shut never opens by itself, and the log is begun anew before the next one", async () => {
  const values = new Map<string, unknown>();
  const storage = await openStorage({ run: { get: async (name) => values.get(name), set: async (name, value) => void values.set(name, value) } });
  await storage.saveSetting("a", 1);
  const [fresh] = values.keys();
  const deletions = vi.spyOn(indexedDB, "deleteDatabase");
  const opens = vi.spyOn(DexieStorage, "open");
  vi.spyOn(Dexie.prototype, "isOpen").mockReturnValueOnce(false);
  expect(await storage.readSetting("a")).toBe(1);
  expect(deletions).toHaveBeenCalledTimes(1);
  expect(opens).toHaveBeenCalledTimes(1);
  expect(deletions.mock.invocationCallOrder[0]).toBeLessThan(opens.mock.invocationCallOrder[0] ?? 0);
  expect(fresh).toBe("outrigger.fresh-log");
  (storage as DexieStorage).close();
});
