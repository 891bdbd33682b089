// Plans as the host would send them, one of each kind, and the nasty ones.
import { type Plan, planSchema } from "../../wire/plan.ts";

function plan(given: Record<string, unknown>): Plan {
  return planSchema.parse({ id: `plan-${String(given["summary"])}`, digest: "sha256:0", workspace: "app", tier: "individual", expires_at: "2026-11-20T12:10:00Z", ...given });
}

const sumHunk = { id: "h1", old_start: 1, old_lines: 5, new_start: 1, new_lines: 6, lines: [" // Adds two numbers.", " export function sum(a, b) {", "-  return a - b;", "+  // Subtracting was a slip of the finger.", "+  return a + b;", " }"] };
const file = { op: "edit", executable: false, undoable: true, before_bytes: 80, after_bytes: 121, added: 2, removed: 1 };

export const editPlan = plan({
  tool: "fs_edit",
  tier: "batch",
  summary: "Edit src/sum.js (+2 −1)",
  reasons: ["`fs_edit` asks before it changes something"],
  preview: { kind: "files", files: [{ ...file, path: "src/sum.js", hunks: [sumHunk] }] },
});

export const secondEditPlan = plan({
  tool: "fs_write",
  tier: "batch",
  summary: "Create test/sum.test.js (+9 −0)",
  reasons: ["`fs_write` asks before it changes something"],
  preview: {
    kind: "files",
    files: [{ path: "test/sum.test.js", op: "create", undoable: true, after_bytes: 214, added: 9, hunks: [{ id: "h1", old_start: 0, old_lines: 0, new_start: 1, new_lines: 9, lines: ['+import assert from "node:assert";', '+import test from "node:test";', '+import { sum } from "../src/sum.js";', "+", '+test("adds", () => {', "+  assert.equal(sum(1, 2), 3);", "+  assert.equal(sum(-1, 1), 0);", "+});", "+"] }] }],
  },
});

const longLines = Array.from({ length: 180 }, (_, index) => (index % 6 === 2 ? `+  const value${index} = readConfiguration("section.${index}", { fallback: true, trace: "a rather long line that must wrap" });` : ` line ${index + 40} stays as it was`));
export const longPlan = plan({
  tool: "fs_write",
  summary: "Overwrite src/configuration/load.ts (+30 −0)",
  reasons: ["`src/configuration/load.ts` is overwritten by a caller that did not say which version it read", "`src/configuration/load.ts` is a protected path: other programs act on what it says"],
  preview: { kind: "files", files: [{ ...file, path: "src/configuration/load.ts", op: "overwrite", undoable: false, before_bytes: 8_120, after_bytes: 11_400, added: 30, removed: 0, hunks: [{ id: "h1", old_start: 40, old_lines: 150, new_start: 40, new_lines: 180, lines: longLines }] }] },
});

export const commandPlan = plan({
  tool: "exec_run",
  summary: "Run node_test",
  reasons: ["`exec_run` asks each time"],
  preview: { kind: "command", command: "node_test", program: "/usr/bin/node", args: ["--test", "--test-reporter=spec", "test/with space.test.js"], workdir: ".", environment: { CI: "1", NODE_OPTIONS: "--enable-source-maps" }, network: false, sandbox: "landlock+seccomp: it can change files only below `/home/ada/src/app`, and a temporary folder of its own; in those everything, `.git` and protected files too; it can read what you can read, blocked files too; it has no network, not even to this machine, and no sockets to other programs", timeout_ms: 120_000, can_read_blocked: true },
});

export const hostilePlan = plan({
  tool: "exec_run",
  summary: "Run npm_test",
  reasons: ["approval_stale: what would happen is no longer what was approved", "nothing on this system keeps it from changing other files"],
  preview: { kind: "command", command: "npm_test", program: "/usr/bin/npm", args: ["test", "--", "src/p\u0430yment.ts", "safe\u202etxt.exe", "a\u200bb\nrm -rf /"], workdir: "packages/core", environment: {}, network: true, sandbox: "none: the command runs with all rights of your account; it can read and change any file you can, blocked and protected ones too, and use the network", timeout_ms: 600_000, can_read_blocked: false },
});

export const stagePlan = plan({ tool: "git_add", tier: "batch", summary: "Stage 2 paths", reasons: ["`git_add` asks before it changes something"], preview: { kind: "stage", action: "stage", paths: ["src/sum.js", "test/sum.test.js"] } });

export const commitPlan = plan({
  tool: "git_commit",
  summary: "Commit 2 files to main",
  reasons: ["`main` is a branch that others build on"],
  preview: { kind: "commit", message: "sum: add instead of subtract\n\nThe test of sum failed since the refactoring.", author: "Ada Lovelace <ada@example.org>", branch: "main", amend: false, hooks: [".git/hooks/pre-commit"], unsigned: true, files: [{ ...file, path: "src/sum.js", mode: "100644", hunks: [sumHunk] }, { path: "tools/latest", op: "edit", mode: "120000", mode_before: "100755", before_bytes: 21, after_bytes: 8, added: 1, removed: 1, hunks: [{ id: "h2", old_start: 1, old_lines: 1, new_start: 1, new_lines: 1, lines: ["-exec node build.mjs", "+/opt/run"] }] }] },
});

/** What changes cannot be seen in its lines. */
export const lineEndsPlan = plan({
  tool: "fs_write",
  tier: "batch",
  summary: "Overwrite scripts/build.bat (+3 −3)",
  reasons: ["`fs_write` asks before it changes something"],
  preview: { kind: "files", files: [{ ...file, path: "scripts/build.bat", op: "overwrite", before_bytes: 42, after_bytes: 45, added: 3, removed: 3, line_ends: { before: "lf", after: "crlf" }, hunks: [{ id: "h1", old_start: 1, old_lines: 3, new_start: 1, new_lines: 3, lines: ["-@echo off", "-cargo build", "-exit /b %errorlevel%", "+@echo off", "+cargo build", "+exit /b %errorlevel%"] }] }] },
});

const hunkAt = (id: string, start: number, name: string) => ({ id, old_start: start, old_lines: 3, new_start: start, new_lines: 3, lines: [` function ${name}(order) {`, `-  return order.${name};`, `+  return order.${name} ?? 0;`, " }"] });
export const hunksPlan = plan({
  tool: "fs_edit",
  tier: "batch",
  summary: "Edit src/basket.js (+3 −3)",
  reasons: ["`fs_edit` asks before it changes something"],
  preview: { kind: "files", files: [{ ...file, path: "src/basket.js", added: 3, removed: 3, hunks: [hunkAt("h1", 4, "price"), hunkAt("h2", 21, "weight"), hunkAt("h3", 40, "tax")] }] },
});

export const patchPlan = plan({
  tool: "fs_apply_patch",
  tier: "batch",
  summary: "Patch 2 files (+3 −3)",
  reasons: ["text of docs.example.org is in this conversation, so nothing runs by itself", "`fs_apply_patch` asks before it changes something"],
  preview: { kind: "files", files: [{ ...file, path: "src/basket.js", added: 2, removed: 2, hunks: [hunkAt("h1", 4, "price"), hunkAt("h2", 21, "weight")] }, { ...file, path: "src/shipping/rates.js", added: 1, removed: 1, hunks: [hunkAt("h3", 8, "zone")] }] },
});

/** Made by the engine: its whole arguments are its preview. */
export const callPlan = plan({
  tool: "web_fetch",
  summary: "web_fetch https://docs.example.org:8443/guide?x=1",
  reasons: ["`web_fetch` asks each time"],
  preview: { kind: "call", arguments: [{ name: "url", value: "https://docs.example.org:8443/guide?x=1" }, { name: "max_chars", value: "20000" }] },
});

const [firstFile] = patchPlan.preview.kind === "files" ? patchPlan.preview.files : [];
export const movePlan = plan({
  ...patchPlan,
  id: "plan-move",
  summary: "Patch 3 files (+3 −3)",
  preview: { kind: "files", files: [...(patchPlan.preview.kind === "files" ? patchPlan.preview.files : []), { ...firstFile, path: "src/shop/basket-of-the-shop.js", from: "src/shop.js", op: "rename", added: 0, removed: 0, hunks: [] }] },
});

export const schedulePlan = plan({
  tool: "schedule",
  summary: "schedule Check the nightly build and everything that was merged since the one before it, and tell who should look at what",
  reasons: ["`schedule` asks each time"],
  preview: { kind: "call", arguments: [{ name: "title", value: "Check the nightly build and everything that was merged since the one before it, and tell who should look at what" }, { name: "task", value: "Look at the last build.\nTell what broke, since when, and whose change it was.\nLeave the files as they are." }, { name: "cron", value: "0 6 * * 1-5" }, { name: "first_runs", value: "Mon, Nov 23, 2026, 6:00 AM\nTue, Nov 24, 2026, 6:00 AM\nWed, Nov 25, 2026, 6:00 AM" }] },
});
