// Rows 40, 74, 77: all sessions together: found, tagged, pinned, deleted and brought back, and kept within what the person allows.
import "fake-indexeddb/auto";
import { Dexie } from "dexie";
import { afterEach, describe, expect, test } from "vitest";
import { localDay } from "../lib/local-day.ts";
import { DATABASE, DexieStorage } from "../storage/dexie-storage.ts";
import { MemoryStorage } from "../storage/memory-storage.ts";
import type { SessionRow, Storage } from "../storage/storage.ts";
import { FakeHost } from "../testing/fake-host.ts";
import { FakeWorld } from "../testing/fake-world.ts";
import { callTools, say, ScriptedModel } from "../testing/scripted-model.ts";
import { execTool, readTool, waitingCalls } from "../testing/session-log.ts";
import { Disk } from "./disk.ts";
import { Library, NOTICE_MS, UNDO_DELETE_MS } from "./library.ts";
import { excerptOf } from "./search-index.ts";
import { SettingsBook } from "./settings.ts";

const open: DexieStorage[] = [];
afterEach(async () => {
  for (const storage of open.splice(0)) storage.close();
  await Dexie.delete(DATABASE);
});

const STORAGES: readonly [string, () => Promise<Storage>][] = [
  ["in IndexedDB", async () => {
    const storage = await DexieStorage.open();
    open.push(storage);
    return storage;
  }],
  ["in memory", async () => new MemoryStorage()],
];

const model = () => new ScriptedModel((request) => () => say(`about ${request.messages.findLast((message) => message.role === "user")?.text ?? ""}: 请修复`));

describe.each(STORAGES)("row 40: a search %s", (_where, makeStorage) => {
  test("finds words in what was said, answered and done; all of them, also beginnings, newest first", async () => {
    const world = new FakeWorld(model(), new FakeHost(), await makeStorage());
    const ids: string[] = [];
    for (const text of ["Fix the parser of dates", "Parse arguments", "Nothing of that"]) {
      const session = await world.engine.startSession(text);
      await world.ended(session);
      ids.push(session);
      // Two that ended in one millisecond have no order.
      world.clockMs += 1_000;
    }
    const find = async (text: string) => (await world.engine.library.search({ text })).hits.map(({ session }) => ids.indexOf(session.id));
    expect(await find("parse")).toEqual([1, 0]);
    expect(await find("PARSER dates")).toEqual([0]);
    expect(await find("修复")).toEqual([2, 1, 0]);
    expect(await find("ates")).toEqual([]);
    expect(await find("")).toEqual([2, 1, 0]);
    const [hit] = (await world.engine.library.search({ text: "dates" })).hits;
    const [match] = hit?.matches ?? [];
    expect(match?.marks.map(([begin, end]) => match.excerpt.slice(begin, end))).toEqual(["dates", "dates"]);
  });

  test("by tag, pin, state and workspace; and no more than were wanted", async () => {
    const world = new FakeWorld(model(), new FakeHost(), await makeStorage());
    const first = await world.engine.startSession("one", { workspace: "app" });
    await world.ended(first);
    const second = await world.engine.startSession("two");
    await world.ended(second);
    await world.engine.tagSession(first, ["  work ", "work", ""]);
    await world.engine.pinSession(first, true);
    const find = async (query: Parameters<Library["search"]>[0]) => (await world.engine.library.search(query)).hits.map(({ session }) => session.id);
    expect(await find({ text: "", tag: "work" })).toEqual([first]);
    expect(await find({ text: "work" })).toEqual([first]);
    expect(await find({ text: "", pinned: true })).toEqual([first]);
    expect(await find({ text: "", workspace: null })).toEqual([second]);
    expect(await find({ text: "", status: "failed" })).toEqual([]);
    expect(await world.engine.library.search({ text: "", limit: 1 })).toMatchObject({ hits: [{}], more: true });
    expect((await world.engine.sessions()).find(({ id }) => id === first)).toMatchObject({ tags: ["work"], pinned: true });
  });

  test("what was written while nobody indexed is found after the next start", async () => {
    const storage = await makeStorage();
    const world = new FakeWorld(model(), new FakeHost(), storage);
    const session = await world.engine.startSession("remember the walrus");
    await world.ended(session);
    const row = (await storage.listSessions())[0] as SessionRow;
    const events = await storage.readEvents(session, 0);
    const bare = new MemoryStorage();
    await bare.append(events, row);
    const library = new Library({ storage: bare, now: () => 0, limitMiB: () => null, destroy: async () => {}, onChange: () => {} });
    expect((await library.search({ text: "walrus" })).hits).toHaveLength(1);
  });
});

describe("row 40: an excerpt", () => {
  const shown = (text: string, ...terms: string[]) => {
    const { excerpt, marks } = excerptOf(text, terms);
    return [excerpt, ...marks.map(([begin, end]) => excerpt.slice(begin, end))];
  };

  test("shows plain words, and marks what was searched for in them", () => {
    expect(shown("## Done\n\n- **Changed** the `parser` of *dates*", "parser", "dates")).toEqual(["Done Changed the parser of dates", "parser", "dates"]);
    expect(shown(`${"**word** ".repeat(100)}walrus`, "walrus")[0]).toMatch(/^[word ]{80}walrus$/);
  });

  test("of what only the marks hold, it shows the marks", () => {
    expect(shown("See [the page](https://walrus.example/).", "walrus")).toEqual(["See [the page](https://walrus.example/).", "walrus"]);
  });
});

describe("row 77: deleted, and brought back", () => {
  test("a deletion can be taken back; later it is for good", async () => {
    const storage = new MemoryStorage();
    const world = new FakeWorld(model(), new FakeHost(), storage);
    const session = await world.engine.startSession("oops");
    await world.ended(session);
    await world.engine.deleteSession(session, false);
    expect(await world.engine.sessions()).toEqual([]);
    expect((await world.engine.library.search({ text: "oops" })).hits).toEqual([]);
    await world.engine.restoreSession(session);
    expect((await world.engine.sessions()).map(({ id }) => id)).toEqual([session]);
    expect((await world.log(session)).turns).toHaveLength(1);

    await world.engine.deleteSession(session, false);
    let now = Date.now();
    const library = new Library({ storage, now: () => now, limitMiB: () => null, destroy: (id) => storage.deleteSession(id), onChange: () => {} });
    await library.load();
    await library.sweep();
    expect(await storage.listSessions()).toHaveLength(1);
    const [left, ...others] = await library.deleted();
    expect([left?.id, left?.title, others]).toEqual([session, "oops", []]);
    expect(Math.abs((left?.until ?? 0) - now - UNDO_DELETE_MS)).toBeLessThan(60_000);
    now += UNDO_DELETE_MS;
    expect(await library.deleted()).toEqual([]);
    await library.sweep();
    expect(await storage.listSessions()).toEqual([]);
    expect(await storage.readEvents(session, 0)).toEqual([]);
    await expect(world.engine.restoreSession(session)).rejects.toMatchObject({ fault: { code: "no_session" } });
  });

  test("deleted for good while its last turn is written down for the search: none of its words stay", async () => {
    const inner = new MemoryStorage();
    const listIndexed: Storage["listIndexed"] = async () => {
      await new Promise((resolve) => setTimeout(resolve, 30));
      return inner.listIndexed();
    };
    const storage = new Proxy(inner, { get: (target, name) => (name === "listIndexed" ? listIndexed : ((value: unknown) => (typeof value === "function" ? value.bind(target) : value))(Reflect.get(target, name, target))) });
    const world = new FakeWorld(new ScriptedModel(() => () => say("ok")), new FakeHost(), storage);
    const session = await world.engine.startSession("xylophone");
    await world.ended(session);
    await world.engine.deleteSession(session);
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(await inner.findDocs("xylophone")).toEqual([]);
  });

  test("everything goes at once: what was said, or all there is", async () => {
    const storage = new MemoryStorage();
    const world = new FakeWorld(ScriptedModel.steps(() => callTools(["exec_run", { command: "x" }])), new FakeHost().add(execTool), storage);
    const session = await world.engine.startSession("x");
    await world.until(session, (log) => waitingCalls(log).length === 1);
    await storage.saveModel({ id: "m", label: "M", baseUrl: "http://127.0.0.1:1/v1", modelName: "m" });
    await storage.saveKey("m", "sk");
    await world.engine.deleteAll(false);
    expect([await world.engine.sessions(), await storage.readEvents(session, 0), await storage.listUsage("0")]).toEqual([[], [], []]);
    expect(await storage.readKey("m")).toBe("sk");
    await world.settings.change({ theme: "dark" });
    await world.engine.deleteAll(true);
    expect([await storage.listModels(), await storage.readKey("m"), world.settings.get().theme]).toEqual([[], null, "auto"]);
  });
});

describe("row 77: the retention", () => {
  const MIB = 1_048_576;

  async function kept(sizes: readonly number[], more: readonly Partial<SessionRow>[] = []) {
    const storage = new MemoryStorage();
    for (const [place, size] of sizes.entries()) {
      const id = `s${place}`;
      const row: SessionRow = { id, title: id, status: "complete", workspace: null, model: "m", createdAt: place, updatedAt: place, waiting: 0, seq: 1, ...more[place] };
      await storage.append([{ session: id, seq: 1, id: `e${place}`, parent: null, at: place, event: { type: "TitleSet", title: "x".repeat(size), by: "user" } }], row);
    }
    const clock = { now: 1_000, limit: 16 as number | null };
    const library = new Library({ storage, now: () => clock.now, limitMiB: () => clock.limit, destroy: (id) => storage.deleteSession(id), onChange: () => {} });
    const left = async () => (await storage.listSessions()).map(({ id }) => id).toSorted();
    return { library, clock, left, storage };
  }

  test("nothing goes before it was told; the oldest go first, and no more than must", async () => {
    const { library, clock, left } = await kept([5 * MIB, 5 * MIB, 5 * MIB, 2 * MIB]);
    await library.sweep();
    expect(library.notice).toMatchObject({ at: clock.now + NOTICE_MS, sessions: [{ id: "s0" }] });
    clock.now += NOTICE_MS - 1;
    await library.sweep();
    expect(await left()).toEqual(["s0", "s1", "s2", "s3"]);
    clock.now += 1;
    await library.sweep();
    expect(await left()).toEqual(["s1", "s2", "s3"]);
    expect(library.notice).toBeNull();
  });

  test("what is pinned, at work or waits is never told of, and never goes", async () => {
    const { library, clock, left } = await kept([9 * MIB, 9 * MIB, 9 * MIB, 9 * MIB], [{ pinned: true }, { status: "needs_you", waiting: 1 }, { status: "running" }]);
    await library.sweep();
    expect(library.notice?.sessions.map(({ id }) => id)).toEqual(["s3"]);
    clock.now += 9 * NOTICE_MS;
    await library.sweep();
    await library.sweep();
    expect(await left()).toEqual(["s0", "s1", "s2"]);
  });

  test("what belongs to a session counts with it, goes with it, and is not found by itself", async () => {
    const child = { origin: { kind: "subagent" as const, session: "s1", by: "c" } };
    const { library, clock, left } = await kept([9 * MIB, 1 * MIB, 12 * MIB], [child, { pinned: true }]);
    expect((await library.search({ text: "" })).hits.map(({ session }) => session.id)).toEqual(["s2", "s1"]);
    await library.sweep();
    // The oldest is a sub-agent of a pinned session: it is not the one that goes.
    expect(library.notice?.sessions.map(({ id }) => id)).toEqual(["s2"]);
    clock.now += NOTICE_MS;
    await library.sweep();
    expect(await left()).toEqual(["s0", "s1"]);
  });

  test("pinned after it was told, it stays", async () => {
    const { library, clock, left, storage } = await kept([9 * MIB, 9 * MIB]);
    await library.sweep();
    const row = (await storage.listSessions()).find(({ id }) => id === "s0") as SessionRow;
    await storage.saveRow({ ...row, pinned: true });
    clock.now += NOTICE_MS;
    await library.sweep();
    // Another one is next, and told first.
    expect(await left()).toEqual(["s0", "s1"]);
    expect(library.notice?.sessions.map(({ id }) => id)).toEqual(["s1"]);
  });

  test("a larger limit, or none, takes the notice back", async () => {
    const { library, clock } = await kept([9 * MIB, 9 * MIB]);
    await library.sweep();
    expect(library.notice).not.toBeNull();
    clock.limit = null;
    await library.sweep();
    expect(library.notice).toBeNull();
  });

  test("what grows faster than a person looks goes as soon as it was told", async () => {
    const { library, left } = await kept([9 * MIB, 9 * MIB, 9 * MIB]);
    await library.sweep();
    expect(await left()).toEqual(["s0", "s1", "s2"]);
    await library.sweep();
    expect(await left()).toEqual(["s2"]);
  });

  test("a person need not wait; a restart does not forget what was told", async () => {
    const { library, left, storage } = await kept([9 * MIB, 9 * MIB]);
    await library.sweep();
    const later = new Library({ storage, now: () => 2_000, limitMiB: () => 16, destroy: (id) => storage.deleteSession(id), onChange: () => {} });
    await later.load();
    expect(later.notice).toEqual(library.notice);
    expect(await later.cleanNow()).toBe(1);
    expect(await left()).toEqual(["s1"]);
  });
});

test("row 24: what was used is summed by day and model, once for each request, whatever is deleted", async () => {
  for (const [, makeStorage] of STORAGES) {
    const storage = await makeStorage();
    const world = new FakeWorld(ScriptedModel.steps(() => callTools(["fs_read", { path: "a" }]), () => say("ok")), new FakeHost().add(readTool), storage);
    world.facts = { ...world.facts, price: (usage) => (usage === null ? null : 0.5) };
    const session = await world.engine.startSession("x");
    await world.ended(session);
    await world.engine.deleteSession(session);
    const rows = await storage.listUsage(localDay(Date.now() - 86_400_000));
    expect(rows).toMatchObject([{ model: "demo", label: "Scripted", requests: 2, inputTokens: 10, outputTokens: 2, costUsd: 0.5, unpriced: 1 }]);
    expect(await storage.listUsage("9999-01-01")).toEqual([]);
  }
});

test("settings hold after a restart; what does not fit changes nothing", async () => {
  const storage = new MemoryStorage();
  const book = new SettingsBook(storage);
  await book.change({ language: "de", theme: "dark", retentionMiB: null, sound: "loud" });
  await book.change({ language: "klingon", retentionMiB: -4 });
  const later = new SettingsBook(storage);
  await later.load();
  expect(later.get()).toEqual({ language: "de", theme: "dark", retentionMiB: null, sound: false, notifyWaiting: true, notifyDone: true, strangerWorkspaces: [], summaryModel: null, sideModel: null, agentModel: null });
});

test("the disk: what it says, and what it promises", async () => {
  const storage = await DexieStorage.open();
  open.push(storage);
  const library = new Library({ storage, now: () => 0, limitMiB: () => null, destroy: async () => {}, onChange: () => {} });
  const kind = new Disk(storage, library, { estimate: async () => ({ usage: 5, quota: 9 }), persisted: async () => false, persist: async () => true });
  expect(await kind.use()).toEqual({ sessionBytes: 0, sessions: 0, usedBytes: 5, quotaBytes: 9, persisted: false });
  expect(await kind.persist()).toMatchObject({ persisted: true });
  const none = new Disk(new MemoryStorage(), library, null);
  expect(await none.use()).toMatchObject({ usedBytes: null, persisted: false });
  expect((await none.persist()).receipt.message).toContain("keeps nothing");
});

test("what belongs to a deleted session is not listed beside it, and the last deleted comes first", async () => {
  const storage = new MemoryStorage();
  const row = (id: string, deletedAt: number, more: Partial<SessionRow> = {}): SessionRow => ({ id, title: id, status: "complete", workspace: null, createdAt: 0, updatedAt: 0, waiting: 0, seq: 0, deletedAt, ...more }) as SessionRow;
  for (const each of [row("first", 1_000), row("child", 1_000, { origin: { kind: "subagent", session: "first", by: null } }), row("second", 2_000)]) await storage.saveRow(each);
  const library = new Library({ storage, now: () => 3_000, limitMiB: () => null, destroy: async () => {}, onChange: () => {} });
  await library.load();
  expect((await library.deleted()).map(({ id }) => id)).toEqual(["second", "first"]);
});
