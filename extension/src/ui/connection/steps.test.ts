import { expect, test } from "vitest";
import type { ConnectionView } from "../../app/views.ts";
import { stepsOf } from "./steps.ts";

const failed = (code: string): ConnectionView => ({ state: "failed", retryAt: null, fault: { reason: 1, code, message: "", hint: "", command: null, detail: null } });

test.each([
  ["host_not_found", "failed unknown unknown unknown"],
  ["access_forbidden", "failed unknown unknown unknown"],
  ["host_exited", "done failed unknown unknown"],
  ["too_many_starts", "done failed unknown unknown"],
  ["hello_timeout", "done done failed unknown"],
  ["version_skew", "done done failed unknown"],
  ["config_invalid", "done done done failed"],
  ["something_new", "done failed unknown unknown"],
])("%s", (code, expected) => expect(Object.values(stepsOf(failed(code))).join(" ")).toBe(expected));

test("only a completed hello makes every step right", () => {
  for (const state of [{ state: "idle" }, { state: "connecting", attempt: 3 }] as const) expect(Object.values(stepsOf(state))).not.toContain("done");
});
