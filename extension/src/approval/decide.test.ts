import { expect, test } from "vitest";
import { decide } from "./decide.ts";

test.each([
  ["ask", "batch", "ask", "tier:batch"],
  ["ask", "individual", "ask", "tier:individual"],
  ["accept_edits", "batch", "allow", "rule:accept_edits"],
  ["accept_edits", "individual", "ask", "tier:individual"],
  ["plan", "batch", "ask", "tier:batch"],
  // A plan of the lowest tier is strange; doubt asks.
  ["accept_edits", "auto", "ask", "tier:auto"],
] as const)("%s, %s: %s by %s", (mode, tier, decision, by) => {
  expect(decide(mode, tier)).toEqual({ decision, by });
});
