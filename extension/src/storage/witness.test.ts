// A database that the browser lost is noticed, and told until the person knows; a first start and an own deletion are none.
import { describe, expect, test } from "vitest";
import { MemoryStorage } from "./memory-storage.ts";
import type { Storage } from "./storage.ts";
import { Witness, WITNESS, type WitnessArea, type WitnessRecord } from "./witness.ts";

class Area implements WitnessArea {
  record: unknown = undefined;
  async read() {
    return this.record;
  }
  async write(record: WitnessRecord) {
    this.record = structuredClone(record);
  }
}

/** Kept beyond the window, as far as the witness can tell. */
function database(): Storage {
  return Object.assign(new MemoryStorage(), { memoryOnly: false }) as unknown as Storage;
}

let ids = 0;
const compare = (storage: Storage, area: WitnessArea, now = 1) => Witness.compare(storage, area, { now, newId: () => `w${(ids += 1)}` });

describe("the witness of the database", () => {
  test("a first start is no loss, nor is the next one", async () => {
    const [storage, area] = [database(), new Area()];
    expect((await compare(storage, area)).loss).toBeNull();
    expect((await compare(storage, area)).loss).toBeNull();
  });

  test("an empty database where there was another is a loss, told until it is noted", async () => {
    const area = new Area();
    await (await compare(database(), area)).counted(7, 50);
    const fresh = database();
    const loss = { sessions: 7, at: 50, isShut: false };
    expect((await compare(fresh, area, 60)).loss).toEqual(loss);
    // Started again before anybody looked.
    const again = await compare(fresh, area, 70);
    expect(again.loss).toEqual(loss);
    await again.counted(1, 71);
    expect((await compare(fresh, area, 80)).loss).toEqual(loss);
    await again.noted();
    expect((await compare(fresh, area, 90)).loss).toBeNull();
  });

  test("a loss counts as noted once that is written, and counting beside it takes nothing back", async () => {
    const area = new Area();
    await compare(database(), area);
    const witness = await compare(database(), area);
    const { promise, resolve } = Promise.withResolvers<void>();
    const write = area.write.bind(area);
    area.write = async (record) => (await promise, write(record));
    const noted = witness.noted();
    const counted = witness.counted(4, 9);
    await Promise.resolve();
    expect(witness.loss).not.toBeNull();
    resolve();
    await Promise.all([noted, counted]);
    expect(witness.loss).toBeNull();
    expect(area.record).toMatchObject({ sessions: 4, loss: null });
  });

  test("a database of before there were witnesses is none; nor one whose area was cleared", async () => {
    const [storage, area] = [database(), new Area()];
    await storage.saveSetting("defaults", {});
    expect((await compare(storage, area)).loss).toBeNull();
    area.record = undefined;
    expect((await compare(storage, area)).loss).toBeNull();
    expect(await storage.readSetting(WITNESS)).toBe((area.record as unknown as WitnessRecord).id);
  });

  test("killed between the two writes it is none", async () => {
    const [storage, area] = [database(), new Area()];
    area.write = async () => {
      throw new Error("killed");
    };
    await compare(storage, area);
    expect((await compare(storage, new Area())).loss).toBeNull();
  });

  test("a database that does not open is told as that, and is no loss once it opens", async () => {
    const [storage, area] = [database(), new Area()];
    await (await compare(storage, area)).counted(3, 5);
    const shut = await compare(new MemoryStorage(), area, 9);
    expect(shut.loss).toEqual({ sessions: 3, at: 5, isShut: true });
    await shut.counted(0, 10);
    expect((await compare(storage, area)).loss).toBeNull();
    expect((await compare(new MemoryStorage(), new Area())).loss).toBeNull();
  });

  test.each([null, 5, "x", {}, { id: 5 }, { id: "a", sessions: "3", at: 1 }])("an area that holds %j is as good as empty", async (record) => {
    const area = new Area();
    area.record = record;
    expect((await compare(database(), area)).loss).toBeNull();
  });
});
