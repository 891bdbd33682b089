/** Waits until a check holds, for as long as a loaded machine may take: a test's outcome is no time. */
import { vi } from "vitest";

export const LONGEST_MS = 120_000;

export function eventually<Result>(check: () => Result | Promise<Result>): Promise<Result> {
  return vi.waitFor(check, { timeout: LONGEST_MS, interval: 10 });
}
