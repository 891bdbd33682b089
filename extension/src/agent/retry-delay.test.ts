// Row 26: exponential with full jitter, and the server's own wait before everything.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { RETRY_FIRST_MS, RETRY_LAST_MS } from "./limits.ts";
import { retryDelay } from "./retry-delay.ts";

test("row 26: any delay from none to twice the one before is as likely as another", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), fc.double({ min: 0, max: 1, noNaN: true }), (attempt, random) => {
      const most = Math.min(RETRY_LAST_MS, RETRY_FIRST_MS * 2 ** (attempt - 1));
      expect(retryDelay(attempt, null, 1)).toBe(most);
      expect(retryDelay(attempt, null, 0)).toBe(0);
      expect(Math.abs(retryDelay(attempt, null, random) - most * random)).toBeLessThanOrEqual(0.5);
    }),
  );
});

test("row 26: what the server asks for is kept, whatever it is", () => {
  expect(retryDelay(1, 7_000, 0)).toBe(7_000);
  expect(retryDelay(9, 0, 1)).toBe(0);
});
