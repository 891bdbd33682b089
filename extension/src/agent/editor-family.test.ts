// Which of the two editors a model is shown.
import { expect, test } from "vitest";
import type { WireTool } from "../wire/decode.ts";
import { hiddenEditor } from "./editor-family.ts";

const tool = (name: string): WireTool => ({ name, description: "", inputSchema: {}, annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false }, _meta: { "dev.outrigger/tier": "batch" } });
const both = [tool("fs_edit"), tool("fs_apply_patch"), tool("fs_read")];

test.each([
  ["gpt-5.2-codex", "fs_edit"],
  ["openai/gpt-4.1-mini", "fs_edit"],
  ["o3", "fs_edit"],
  ["gpt-oss:20b", "fs_edit"],
  ["gpt-4o", "fs_apply_patch"],
  ["claude-sonnet-4-5", "fs_apply_patch"],
  ["anthropic/claude-opus-4", "fs_apply_patch"],
  ["gemini-2.5-pro", "fs_apply_patch"],
  ["qwen3-coder:30b", "fs_apply_patch"],
  ["something-new", "fs_apply_patch"],
  [null, "fs_apply_patch"],
])("%s is not shown %s", (model, hidden) => {
  expect(hiddenEditor(model, both, undefined)).toBe(hidden);
});

test("the only one is always shown, and so is the one a profile names", () => {
  expect(hiddenEditor("claude-x", [tool("fs_apply_patch")], undefined)).toBeNull();
  expect(hiddenEditor("claude-x", both, ["fs_apply_patch"])).toBeNull();
  expect(hiddenEditor("claude-x", both, ["fs_edit"])).toBe("fs_apply_patch");
});
