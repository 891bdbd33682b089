// Row 51: a full disk is never told as another writer.
import { Dexie } from "dexie";
import { expect, test } from "vitest";
import { appendFault } from "./append-fault.ts";
import { SequenceTaken } from "./storage.ts";

const named = (name: string) => Object.assign(new Error(name), { name });
const bulk = (...failures: Error[]) => new Dexie.BulkError("events.bulkAdd()", failures as never);

test.each([
  ["a key that is there", bulk(named("ConstraintError"))],
  ["one of many that is there", bulk(named("ConstraintError"), named("ConstraintError"))],
  ["without Dexie's name for many", named("ConstraintError")],
])("%s: another writer was first", (_name, error) => {
  expect(appendFault(error, "s", 3)).toBeInstanceOf(SequenceTaken);
});

test.each([
  ["a full disk", bulk(named("QuotaExceededError")), "QuotaExceededError"],
  ["a disk that is full in the middle", bulk(named("ConstraintError"), named("QuotaExceededError")), "QuotaExceededError"],
  ["a fault of nobody knows what", bulk(), "BulkError"],
  ["an aborted write", named("AbortError"), "AbortError"],
])("%s is told as it is", (_name, error, name) => {
  expect(appendFault(error, "s", 3)).toMatchObject({ name });
});

test("what was given up for want of room is told as that, and what another wrote is not", () => {
  const full = named("QuotaExceededError");
  expect(appendFault(bulk(named("AbortError")), "s", 3, full)).toBe(full);
  expect(appendFault(named("AbortError"), "s", 3, full)).toBe(full);
  expect(appendFault(bulk(named("ConstraintError")), "s", 3, named("ConstraintError"))).toBeInstanceOf(SequenceTaken);
});
