// Row 67: two engines over one store never both write. Where the contract says a lock and a lease row, these are its effects: the lock
// keeps the second one out, and where it fails, the log's own key does. It runs in Node, and in both browsers with what is theirs.
import "fake-indexeddb/auto";
import { Dexie } from "dexie";
import { afterEach, describe, expect, test } from "vitest";
import { foldEvents } from "../agent/fold.ts";
import { summarise } from "../agent/summary.ts";
import { newUlid } from "../lib/ids.ts";
import type { AgentEvent, StoredEvent } from "../wire/events.ts";
import { DATABASE, DexieStorage } from "../storage/dexie-storage.ts";
import { MemoryStorage } from "../storage/memory-storage.ts";
import { SequenceTaken, type Storage } from "../storage/storage.ts";
import { FakeHost } from "../testing/fake-host.ts";
import { FakeWorld } from "../testing/fake-world.ts";
import { callTools, say, ScriptedModel } from "../testing/scripted-model.ts";
import { callsOf } from "../testing/session-log.ts";
import { lockSession, sessionFree } from "./session-lock.ts";
import { StorageFaults } from "./storage-faults.ts";

const opened: DexieStorage[] = [];
afterEach(async () => {
  for (const storage of opened.splice(0)) storage.close();
  await Dexie.delete(DATABASE);
});

/** Of two engines each has its own connection. */
const places: readonly (readonly [string, () => Promise<readonly [Storage, Storage]>])[] = [
  [
    "IndexedDB",
    async () => {
      const both = [await DexieStorage.open(), await DexieStorage.open()] as const;
      opened.push(...both);
      return both;
    },
  ],
  [
    "memory",
    async () => {
      const one = new MemoryStorage();
      return [one, one];
    },
  ],
];

const QUESTION = { title: "Which one?", fields: [{ id: "db", label: "Database" }] };
const asking = () => ScriptedModel.steps(() => callTools(["ask_question", QUESTION]), () => say("went on"));

/** A session that waits for an answer: whoever loads it owes nothing. */
async function waiting(storage: Storage): Promise<{ session: string; call: string }> {
  const world = new FakeWorld(asking(), new FakeHost(), storage);
  const session = await world.engine.startSession("go");
  const log = await world.until(session, (each) => callsOf(each)[0]?.state === "questioned");
  world.die();
  return { session, call: callsOf(log)[0]?.id ?? "" };
}

describe.each(places)("%s", (_name, open) => {
  test("the lock lets the second engine in only when the first is gone: until then it neither reads on, writes nor asks", async () => {
    const [mine, theirs] = await open();
    const { session, call } = await waiting(mine);
    const [first, second] = [asking(), asking()];
    let end: () => void = () => {};
    const holder = new FakeWorld(first, new FakeHost(), mine);
    holder.lock = async (id) => (end = (await lockSession(id, 60_000)) ?? end);
    await holder.engine.start();
    const other = new FakeWorld(second, new FakeHost(), theirs);
    other.lock = (id) => lockSession(id, 30);
    await other.engine.start();
    const before = (await theirs.readEvents(session, 0)).length;
    for (const act of [() => other.engine.answers.question(session, call, { db: "b" }), () => other.engine.stop(session), () => other.engine.queue.add(session, "more", "queue"), () => other.engine.deleteSession(session)]) {
      await expect(act()).rejects.toMatchObject({ fault: { code: "locked" } });
    }
    expect([(await theirs.readEvents(session, 0)).length, second.requests.length]).toEqual([before, 0]);
    // Its context ends, and its lock with it.
    holder.die();
    end();
    other.lock = (id) => lockSession(id, 60_000);
    await other.engine.answers.question(session, call, { db: "b" });
    await other.ended(session);
    expect([first.requests.length, second.requests.length]).toEqual([0, 1]);
    other.die();
    await other.engine.deleteSession(session);
  });

  test("what another engine had at the start is taken up by itself when that one is gone", async () => {
    const [mine, theirs] = await open();
    const model = asking();
    const { session, call } = await waiting(mine);
    const world = new FakeWorld(model, new FakeHost(), theirs);
    const release = await lockSession(session, 60_000);
    world.lock = (id) => lockSession(id, 30);
    world.free = sessionFree;
    await world.engine.start();
    // The other one writes down the answer, and is gone before it asks the model.
    const events = await mine.readEvents(session, 0);
    const answer: readonly AgentEvent[] = [{ type: "QuestionAnswered", call, answer: { db: "a" } }, { type: "ToolResult", call, isError: false, text: "db: a", structured: null, origin: "engine", replayed: false, durationMs: null }];
    const answered = answer.map((event, place): StoredEvent => ({ ...(events.at(-1) as StoredEvent), id: newUlid(), seq: events.length + place + 1, event }));
    await mine.append(answered, summarise(foldEvents(session, [...events, ...answered])), true);
    expect(model.requests).toEqual([]);
    world.lock = (id) => lockSession(id, 60_000);
    release?.();
    expect((await world.ended(session)).turns[0]?.outcome).toBe("complete");
    expect(model.requests).toHaveLength(1);
    world.die();
    await world.engine.deleteSession(session);
  });

  test("without the lock, of two that write at once one writes; the other learns it, ends there, and asks nobody for anything", async () => {
    for (let round = 0; round < 12; round += 1) {
      const stores = await open();
      const { session, call } = await waiting(stores[0]);
      const broken: unknown[][] = [[], []];
      const engines = stores.map((storage, place) => {
        const model = asking();
        const world = new FakeWorld(model, new FakeHost(), storage);
        world.onBroken = (error) => broken[place]?.push(error);
        return { model, world };
      });
      await Promise.all(engines.map(({ world }) => world.engine.start()));
      const said = await Promise.allSettled(engines.map(({ world }, place) => world.engine.answers.question(session, call, { db: String(place) })));
      expect(said.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
      const winner = said.findIndex(({ status }) => status === "fulfilled");
      const log = await (engines[winner] as (typeof engines)[number]).world.ended(session);
      // At its load already, at the answer, or at both.
      expect([broken[winner], broken[1 - winner]?.length === 0, broken[1 - winner]?.every((error) => error instanceof SequenceTaken)]).toEqual([[], false, true]);
      expect(callsOf(log)[0]?.question?.answer).toEqual({ db: String(winner) });
      const events = await stores[0].readEvents(session, 0);
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, place) => place + 1));
      expect(events.filter(({ event }) => event.type === "TurnEnd")).toHaveLength(1);
      // The one question to a provider that there was to ask.
      expect(engines.map(({ model }) => model.requests.length)).toEqual(winner === 0 ? [1, 0] : [0, 1]);
      expect((await stores[0].listSessions()).find(({ id }) => id === session)).toMatchObject({ seq: events.length, status: log.turns.at(-1)?.outcome === "complete" ? "complete" : "" });
      for (const { world } of engines) world.die();
      for (const storage of opened.splice(0)) storage.close();
    }
  });
});

test("who lost is told that another one has the session, and not that the disk is full", () => {
  const faults = new StorageFaults();
  faults.broken("a", new SequenceTaken("a", 3));
  expect(faults.current).toMatchObject({ code: "locked" });
});
