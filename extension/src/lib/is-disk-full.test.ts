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
  ["something else", new Error("something else"), false],
  ["causes in a circle", circle, false],
  ["no error", "QuotaExceededError", false],
])("%s", (_, error, is) => expect(isDiskFull(error)).toBe(is));
