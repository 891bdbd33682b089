import { expect, test } from "vitest";
import { isDiskFull } from "./is-disk-full.ts";

const full = Object.assign(new Error("full"), { name: "QuotaExceededError" });

const circle = new Error("in a circle");
circle.cause = new Error("and back", { cause: circle });

test.each([
  ["as it is", full, true],
  ["as a cause", new Error("not written", { cause: full }), true],
  ["inside what was aborted", Object.assign(new Error("aborted"), { name: "AbortError", inner: full }), true],
  ["as one of many", Object.assign(new Error("many"), { failures: [new Error("another"), full] }), true],
  ["a write that Firefox gave up before its next part", Object.assign(new Error("A mutation operation was attempted on a database that did not allow mutations."), { name: "InvalidStateError" }), true],
  ["a store that Chromium shut for it", new Error("Connection is closing because of: IO error: .../x.indexeddb.leveldb/000004.log: FILE_ERROR_NO_SPACE (ChromeMethodBFE: 3::WritableFileAppend)"), true],
  ["a store that was shut", Object.assign(new Error("The database connection is closing."), { name: "InvalidStateError" }), false],
  ["something else", new Error("something else"), false],
  ["causes in a circle", circle, false],
  ["no error", "QuotaExceededError", false],
])("%s", (_, error, is) => expect(isDiskFull(error)).toBe(is));
