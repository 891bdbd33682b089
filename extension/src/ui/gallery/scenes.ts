// Every state of the panel worth looking at, by name.
import type { AppView, ConnectionView } from "../../app/views.ts";
import { app, connected } from "./basics.ts";
import type { Scene } from "./fake-client.ts";
import { asking, call, NOW, session, step, turn } from "./parts.ts";
import { chatScenes } from "./chat-scenes.ts";
import { commandPlan, commitPlan, editPlan, hostilePlan, lineEndsPlan, longPlan, secondEditPlan, stagePlan } from "./plans.ts";

export { app, connected, summaries } from "./basics.ts";

const looking = step({
  reasoning: "The person wants the failing test fixed. I should run nothing yet; first look at the test and at what it tests.",
  text: "I will look at the tests first.",
  calls: [call("workspace_info", {}), call("fs_read", { path: "test/sum.test.js" }), call("search_grep", { pattern: "export function sum", glob: "src/**" })],
});
const ran = step({
  text: "The test passes now.",
  calls: [call("exec_run", { command: "node_test", args: ["--test"] }, { readOnly: false, startedAt: NOW - 5_000, endedAt: NOW - 2_600, output: "\u001b[32m✔ adds (0.6ms)\u001b[39m\nℹ tests 1\nℹ pass 1\n", result: { isError: false, text: "exit 0", structured: { ok: true, data: { outcome: "exited", exit_code: 0 } }, code: null, durationMs: 2_400, replayed: false } })],
});
const answer = "`sum` subtracted instead of adding, so `test/sum.test.js` failed. I changed **one line** in `src/sum.js`:\n\n```js\nexport function sum(a, b) {\n  return a + b;\n}\n```\n\n1. The test `adds` passes.\n2. The change is committed to `main` as `3f2a91c`.\n\n| Check | Result |\n|---|---|\n| `node --test` | 1 passed |\n| `git status` | clean |\n\nMore about [the test runner](https://nodejs.org/api/test.html). <b>Raw HTML stays text</b>, and ![a tracker](https://evil.example/p.png) is never loaded.";
const ask = "Fix the failing test and commit it";
const running = { status: "running" as const, endedAt: null };
const waiting = { status: "needs_you" as const, endedAt: null };
export const scene = (title: string, turns: Parameters<typeof session>[1]): Scene => ({ connection: connected, app, session: session(title, turns) });
export const fresh = (more: Partial<AppView>, connection: ConnectionView = connected): Scene => ({ connection, app: { ...app, sessions: [], ...more }, session: null });
export const failed = (reason: number, code: string, message: string, hint: string, command: string | null, retryAt: number | null, detail: string | null): ConnectionView => ({ state: "failed", fault: { reason, code, message, hint, command, detail }, retryAt });
export const notInstalled = failed(1, "host_not_found", "This browser does not know the Outrigger host.", "Install the host for this browser, in a terminal:", "outrigger install --browser chromium", NOW + 1_500, "Specified native messaging host not found.");
const refusedEdit = call("fs_edit", { path: "src/sum.js", edits: [{ old_text: "return a-b", new_text: "return a + b" }] }, {
  state: "failed", readOnly: false,
  result: { isError: true, text: "no match", structured: { ok: false, code: "no_match", message: "`old_text` of edit 1 is not in `src/sum.js`; nearest is line 3: `return a - b;`", hint: "Copy the text from the file, spaces included" }, code: "no_match", durationMs: 3, replayed: false },
});

export const scenes: Record<string, Scene> = {
  "first-run": fresh({}),
  "not-installed": fresh({ workspaces: null }, notInstalled),
  "stopped-trying": fresh({ workspaces: null }, failed(11, "too_many_starts", "The host was started five times and never answered.", "Nothing more is tried by itself. See what the doctor says, then try again.", "outrigger doctor", null, null)),
  connecting: fresh({ workspaces: null }, { state: "connecting", attempt: 1 }),
  "no-workspace": fresh({ workspaces: [] }),
  "private-window": fresh({ memoryOnly: true }),
  answer: scene(ask, [turn(ask, [looking, ran, step({ text: answer })])]),
  "two-turns": scene(ask, [turn(ask, [looking, ran, step({ text: "Fixed and committed as `3f2a91c`." })]), turn("Now explain what was wrong", [step({ text: answer })])]),
  streaming: scene(ask, [turn(ask, [looking, step({ state: "streaming", text: "The test calls `sum(1, 2)` and expects 3, but `src/sum.js` sub" })], running)]),
  thinking: scene(ask, [turn(ask, [looking, step({ state: "streaming", reasoning: "Hm, the function subtracts." })], running)]),
  "command-runs": scene(ask, [turn(ask, [looking, step({ text: "Running the tests.", calls: [call("exec_run", { command: "node_test", args: ["--test"] }, { state: "running", readOnly: false, startedAt: NOW - 3_200, endedAt: null, result: null, output: "\u001b[1m> node --test\u001b[22m\n\u001b[32m✔ parses (1.2ms)\u001b[39m\n\u001b[31m✖ adds (0.8ms)\u001b[39m\n  expected \u001b[32m3\u001b[39m, got \u001b[31m-1\u001b[39m\nprogress 10%\rprogress 60%\n", outputSkippedBytes: 0 })] })], running)]),
  "tool-states": scene(ask, [turn(ask, [step({ text: "I will try an edit.", calls: [call("fs_read", { path: "packages/a-long-folder-name/src/components/sum.js" }), refusedEdit, call("exec_run", { command: "npm_test" }, { state: "denied" }), call("git_status", {}, { state: "queued", startedAt: null, endedAt: null, result: null }), call("fs_list", { path: "." }, { state: "writing", startedAt: null, endedAt: null, result: null }), call("search_glob", { pattern: "**/*.ts" }, { state: "cancelled" })] })], running)]),
  "approve-edit": scene(ask, [turn(ask, [looking, step({ text: "`sum` subtracts. I will make it add.", calls: [asking(editPlan)] })], waiting)]),
  "approve-group": scene(ask, [turn(ask, [looking, step({ text: "Two files change.", calls: [asking(editPlan, "g1"), asking(secondEditPlan, "g1")] })], waiting)]),
  "approve-line-ends": scene(ask, [turn(ask, [step({ text: "A batch file wants CRLF.", calls: [asking(lineEndsPlan)] })], waiting)]),
  "approve-long": scene(ask, [turn(ask, [step({ text: "I will rewrite the loader.", calls: [asking(longPlan)] })], waiting)]),
  "approve-command": scene(ask, [turn(ask, [looking, step({ text: "Now the tests.", calls: [asking(commandPlan)] })], waiting)]),
  "approve-hostile": scene(ask, [turn(ask, [step({ calls: [asking(hostilePlan)] })], waiting)]),
  "approve-stage": scene(ask, [turn(ask, [step({ text: "Staging both files.", calls: [asking(stagePlan)] })], waiting)]),
  "approve-commit": scene(ask, [turn(ask, [step({ text: "Last, the commit.", calls: [asking(commitPlan)] })], waiting)]),
  "answered-edit": scene(ask, [turn(ask, [step({ text: "Edited.", calls: [{ ...asking(editPlan), state: "done", endedAt: NOW, result: { isError: false, text: "Edited src/sum.js (+2 −1)", structured: {}, code: null, durationMs: 12, replayed: false }, approval: { plan: editPlan, tier: "batch", group: null, askedAt: NOW, answer: { decision: "allow", note: null, by: "user", at: NOW } } }] }), step({ text: "Searching the rest.", calls: [call("search_grep", { pattern: "sum\\(" }, { state: "running", endedAt: null, result: null, startedAt: NOW - 2_000, progress: { progress: 400, total: 1000, message: "400 of 1000 files" } })] })], running)]),
  long: scene(ask, Array.from({ length: 12 }, (_, index) => turn(`Question ${index + 1}`, [looking, step({ text: answer })]))),
  huge: scene(ask, Array.from({ length: 400 }, (_, index) => turn(`Question ${index + 1}`, [looking, ran, step({ text: answer })]))),
  retry: scene(ask, [turn(ask, [step({ state: "waiting_to_retry", retry: { at: NOW + 8_000, attempt: 2, fault: { code: "overloaded", message: "The model server is overloaded (529).", hint: null, retryable: true } } })], running)]),
  failed: scene(ask, [turn(ask, [looking, step({ state: "draft", text: "The reason is that" })], { status: "failed", fault: { code: "key_refused", message: "Demo model did not accept the key. It says: invalid x-api-key", hint: "Put a valid key into the model's settings.", retryable: true }, canRetry: true })]),
  paused: scene(ask, [turn(ask, [looking], { ...waiting, paused: { reason: "step_cap", message: "50 steps are done. Continue?" } })]),
  recovered: scene(ask, [turn(ask, [looking, step({ text: "Done." })], { notices: ["The engine restarted while fs_edit ran; the host says what became of it."] })]),
  "lost-host": { ...scene(ask, [turn(ask, [looking, step({ text: "Working on it." })], running)]), connection: notInstalled },
  ...chatScenes,
};
