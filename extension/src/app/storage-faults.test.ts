// A fault of the storage is told as long as it is one.
import { expect, test } from "vitest";
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
