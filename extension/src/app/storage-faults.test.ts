// A fault of the storage is told as long as it is one.
import { expect, test } from "vitest";
import { StoreShut } from "../storage/store-shut.ts";
import { StorageFaults } from "./storage-faults.ts";

test("what another session writes does not hide it; what the same one writes does", () => {
  const faults = new StorageFaults();
  faults.broken("a", new Error("the disk is full"));
  expect(faults.mended("b")).toBe(false);
  expect(faults.current?.message).toContain("the disk is full");
  faults.broken("b", new Error("still full"));
  expect(faults.mended("b")).toBe(true);
  expect(faults.current?.message).toContain("the disk is full");
  expect(faults.mended("a")).toBe(true);
  expect(faults.current).toBeNull();
});

test("a store that is shut is told before all else, and what could not be written for it is over with it", () => {
  const faults = new StorageFaults();
  faults.broken("a", new Error("no room"));
  faults.shut(new StoreShut(true));
  faults.broken("b", new StoreShut(true));
  expect(faults.current).toMatchObject({ code: "store_full" });
  faults.shut(new StoreShut(false, new Error("Internal error")));
  expect(faults.current).toMatchObject({ code: "store_shut", message: expect.stringContaining("Internal error") });
  faults.shut(null);
  expect(faults.current).toBeNull();
});
