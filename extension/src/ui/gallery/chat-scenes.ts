// States of the conversation beyond the plain ones: choosing, queueing, going back, counting.
import { app, connected } from "./basics.ts";
import type { Scene } from "./fake-client.ts";
import type { SessionView, ToolCallView } from "../../agent/session-view.ts";
import { asking, call, NOW, session, step, turn, written } from "./parts.ts";
import { commandPlan, editPlan, hunksPlan, patchPlan, callPlan, movePlan, schedulePlan } from "./plans.ts";

const ask = "Fix the failing test and commit it";
const waiting = { status: "needs_you" as const, endedAt: null };
const answers: Scene["answers"] = {
  proposeRules: {
    proposals: [
      { target: { tool: "fs_edit", workspace: "app", path: "src/basket.js" }, alsoMatches: [] },
      { target: { tool: "fs_edit", workspace: "app", path: "src/**" }, alsoMatches: [{ call: "x1", summary: "Edit src/sum.js (+2 −1)" }, { call: "x2", summary: "Edit src/shipping/rates.js (+1 −1)" }] },
    ],
  },
  previewRule: { alsoMatches: [{ call: "x1", summary: "Edit src/sum.js (+2 −1)" }] },
};
const scene = (turns: Parameters<typeof session>[1], more: Partial<Scene> = {}): Scene => ({ connection: connected, app, session: session(ask, turns), answers, ...more });

const running = { status: "running" as const, endedAt: null };
const working = turn(ask, [step({ text: "Running the tests.", calls: [call("fs_read", { path: "src/sum.js" }), call("exec_run", { command: "node_test" }, { state: "running", readOnly: false, endedAt: null, result: null })] })], running);
const queue = [
  { id: "q1", kind: "steer" as const, text: "Use the new test runner, please", at: NOW },
  { id: "q2", kind: "queue" as const, text: "Then update the changelog and the docs of the basket, and tell me what is left", at: NOW },
  { id: "q3", kind: "queue" as const, text: "Commit it", at: NOW },
];
const todos: SessionView["todos"] = [
  { text: "Find the failing test", status: "done" },
  { text: "Mend `sum`", status: "done" },
  { text: "Run the tests again and look at what else depends on it", status: "in_progress" },
  { text: "Commit", status: "pending" },
];
const lease = { id: "l1", tiers: ["batch" as const], grantedAt: NOW - 60_000, until: NOW + 872_000, calls: 50, costUsd: null, used: 3, spentUsd: 0, unpriced: false, revoked: false };
const withView = (made: Scene, more: Partial<SessionView>): Scene => ({ ...made, session: made.session && { ...made.session, ...more } });

const first = turn("Fix the failing test", [step({ text: "`sum` subtracted. It adds now." })]);
const second = turn("Now commit it", [step({ text: "Committed as `3f2a91c`." })]);
const third = turn("And push it", [step({ text: "There is no remote." })]);
const short = ({ message }: typeof first) => ({ id: message.id, text: message.text, status: "complete" as const, at: NOW - 40_000 });
const branches: SessionView["branches"] = [
  { id: "main", kind: "main", from: null, parent: null, at: NOW - 900_000, isCurrent: false, turns: [short(first), short(turn("Commit", [])), short(turn("Push", []))] },
  { id: "b2", kind: "edit", from: first.message.id, parent: "main", at: NOW - 400_000, isCurrent: true, turns: [short(first), short(second)] },
  { id: "b3", kind: "fork", from: second.message.id, parent: "b2", at: NOW - 100_000, isCurrent: false, turns: [short(first), short(second), short(third)] },
];
const undoReport = (files: { path: string; action: string; conflict: string | null }[]) => ({ state: "dry_run" as const, files: files.map((file) => ({ ...file, turn: "t" })) });
const toUndo = [{ path: "src/sum.js", action: "restore", conflict: null }, { path: "test/sum.test.js", action: "delete", conflict: null }, { path: "docs/changelog.md", action: "restore", conflict: "it has changed since" }];

const context = (share: number | null): SessionView["context"] => ({
  tokens: 54_300, window: share === null ? null : Math.round(54_300 / share), share, level: share === null || share < 0.7 ? "ok" : share < 0.85 ? "warning" : "danger",
  classes: [{ name: "system", tokens: 1_900 }, { name: "tools", tokens: 7_400 }, { name: "user", tokens: 2_100 }, { name: "assistant", tokens: 12_300 }, { name: "tool_results", tokens: 30_600 }],
});
const inspected = [
  { source: "system:outrigger", text: "You work inside one folder of the person's machine.", tokens: 1_320 },
  { source: "system:profile", text: "Report faults, not style.", tokens: 210 },
  { source: "tool:fs_read", text: "Reads a file or some of its lines.\n{\"type\":\"object\"}", tokens: 640 },
  { source: "message:user", text: "Fix the failing test", tokens: 12 },
  { source: "message:assistant", text: "I will look at the tests first.\nfs_read {\"path\":\"test/sum.test.js\"}", tokens: 31 },
  { source: "message:tool", text: "import test from \"node:test\";", tokens: 4_210, lifetime: 2 },
  { source: "message:tool", text: "[9 210 characters of output are left out here to save room.]", tokens: 40, lifetime: "stub" as const },
];
const spent = (inputTokens: number, outputTokens: number, cachedInputTokens: number, cacheWriteTokens: number) => ({ inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens, reasoningTokens: null });
const stepped = [step({ text: "I look first.", usage: spent(31_000, 900, 18_000, 4_000), costUsd: 0.0081 }), { ...step({ text: "`sum` subtracted. It adds now.", usage: spent(30_200, 3_910, 22_100, 0), costUsd: 0.0042 }), index: 1 }];

const agentCall = call("spawn_agent", { task: "Find every caller of sum and tell what it expects", write: true }, { id: "child", state: "running", readOnly: false, endedAt: null, result: null });
const child = (turns: Parameters<typeof session>[1]): SessionView => ({ ...session("Find every caller", turns), id: "child" });
const looked = step({ text: "I look for the callers.", calls: [call("search_grep", { pattern: "sum\\(" }), call("fs_read", { path: "src/basket.js" })] });
const question = { title: "Which runner shall the tests use?", link: null, fields: [{ id: "runner", label: "Runner", kind: "choice" as const, options: [{ value: "node", label: "node --test" }, { value: "vitest", label: "Vitest" }], required: true }, { id: "why", label: "Why", kind: "text" as const, options: [], required: false }] };
const asked = (status: "active" | "completed" | "cancelled", more: Partial<ToolCallView> = {}) => call("ask_question", { title: question.title }, { id: `question-${status}`, question: { question, status, answer: status === "completed" ? { runner: "vitest", why: "We use it elsewhere." } : null, at: NOW }, ...more });
const schedule = { id: "schedule-call", title: "Check the nightly build", task: "Look at the last build and tell what broke", timing: { kind: "interval" as const, minutes: 60 }, hours: null, missed: "skip" as const, session: "01A", config: app.defaults, enabled: true, by: "model" as const, nextAt: Date.UTC(2026, 10, 21, 14, 30), lastAt: null, runs: 3 };
const sideAnswer = child([turn("What does sum return for no numbers?", [step({ text: "It returns `0`, because the loop never runs." })])]);

const attachments = [
  { id: "a1", kind: "file" as const, name: "error.log", mediaType: "text/plain", bytes: 12_400, tokens: 3_100, source: null },
  { id: "a2", kind: "page" as const, name: "node:test documentation", mediaType: "text/markdown", bytes: 48_200, tokens: 12_000, source: "https://nodejs.org/api/test.html" },
  { id: "a3", kind: "image" as const, name: "screenshot-of-the-failing-run.png", mediaType: "image/png", bytes: 220_000, tokens: 1_500, source: null },
];

// 625 turns with what happened in them are about 10 000 events.
const manyTurns = Array.from({ length: 624 }, (_, place) => turn(`Question ${place + 1}`, [looked, step({ text: `It is in \`src/part${place}.js\`.\n\n\`\`\`js\nexport const value = ${place};\n\`\`\`\n\nAnd that is **all** of it, as far as I can see from here.` })]));

const priced = withView(scene([{ ...first, steps: stepped, usage: spent(61_200, 4_810, 40_100, 4_000), costUsd: 0.0123 }, second], { answers: { ...answers, inspectPrompt: { parts: inspected } } }), { context: context(0.42), usage: { inputTokens: 61_200, outputTokens: 4_810, cachedInputTokens: 40_100, cacheWriteTokens: 4_000, reasoningTokens: 900 } });

export const chatScenes: Record<string, Scene> = {
  "approve-hunks": scene([turn(ask, [step({ text: "Three places forget the default.", calls: [asking(hunksPlan)] })], waiting)]),
  "approve-patch": scene([turn(ask, [step({ text: "One patch for both files.", calls: [asking(patchPlan)] })], waiting)]),
  "approve-part": scene([turn(ask, [step({ calls: [asking(movePlan)] })], waiting)], { press: ["hunk-box"] }),
  "approve-address": scene([turn(ask, [step({ calls: [{ ...asking(callPlan), approval: { plan: callPlan, tier: "individual", group: null, askedAt: NOW, needsOrigin: "https://docs.example.org:8443/guide?x=1", answer: null } }] })], waiting)]),
  "approve-scheduled": withView(scene([turn(ask, [step({ calls: [asking(schedulePlan)] })], waiting)]), { origin: { kind: "schedule", session: null, by: "s1" } }),
  "approve-edited": scene([turn(ask, [step({ calls: [{ ...asking(commandPlan), argsText: '{"command":"node_test","args":["--test","test/with space.test.js"],"timeout_ms":120000}', written: '{"command":"node_test"}' }] })], waiting)]),
  "approve-args": scene([turn(ask, [step({ calls: [{ ...asking(editPlan), argsText: '{"path":"src/sum.js","edits":[{"old_text":"  return a - b;","new_text":"  // Subtracting was a slip of the finger.\\n  return a + b;"}],"create":false}' }] })], waiting)]),
  queue: withView(scene([working]), { queue, todos, leases: [lease] }),
  "queue-waits": withView(scene([turn(ask, [step({ text: "Half of it is done." })], { status: "cancelled" })]), { queue: queue.slice(1) }),
  strangers: withView(scene([working]), { leases: [lease], strangers: ["docs.example.org"] }),
  nearing: scene([{ ...working, nearing: { reason: "step_cap", share: 0.84 } }]),
  branches: withView(scene([first, second]), { branches }),
  "undo-clean": scene([first, second], { press: ["turn-menu", "turn-undo"], answers: { ...answers, undoTurn: undoReport(toUndo.slice(0, 2)) } }),
  "undo-conflict": scene([first, second], { press: ["turn-menu", "turn-undo"], answers: { ...answers, undoTurn: undoReport(toUndo) } }),
  undone: withView(scene([{ ...first, pinned: true }]), { branches: [{ ...(branches[0] as (typeof branches)[number]), isCurrent: true, turns: [short(first)] }, branches[1] as (typeof branches)[number]], undone: [{ turn: first.message.id, direction: "undo", state: "done", files: toUndo, at: NOW }] }),
  "undone-replaced": withView(scene([first, second]), { undone: [{ turn: second.message.id, direction: "undo", state: "done", files: toUndo.map((file) => ({ ...file, conflict: null })), replaced: ["src/sum.js"], at: NOW }] }),
  "undo-left": withView(scene([first, second]), { undoLeft: { act: "undo", turn: second.message.id, what: "both" }, undone: [{ turn: "an agent's", within: second.message.id, direction: "undo", state: "done", files: toUndo.slice(0, 1), at: NOW }] }),
  // Its turn is on another branch still.
  "redo-left": withView(scene([first]), { undoLeft: { act: "redo", turn: second.message.id, what: "files" } }),
  "bring-replaced": withView(scene([first, second], { press: ["note-bring-replaced"], answers: { ...answers, bringBackReplaced: undoReport(toUndo.slice(0, 1)) } }), { undone: [{ turn: second.message.id, direction: "undo", state: "done", files: toUndo.map((file) => ({ ...file, conflict: null })), replaced: ["src/sum.js"], at: NOW }] }),
  compacted: withView(scene([first, { ...second, steers: [{ id: "s1", text: "With a signed commit", afterSteps: 1, at: NOW }] }]), { compactions: [{ id: "c1", turn: second.message.id, steps: 0, summary: "The person wanted the failing test mended.\n\n- `src/sum.js` adds now\n- the test passes", tokensBefore: 21_400, tokensAfter: 1_900, by: "user", failed: false, at: NOW }], compacting: true }),
  context: priced,
  "context-prompt": { ...priced, press: ["context-meter", "context-page-prompt"] },
  "context-cost": { ...priced, press: ["context-meter", "context-page-cost", "turn-steps"] },
  "context-warning": withView(scene([first, second]), { context: context(0.78) }),
  "context-danger": withView(scene([first, second]), { context: context(0.91) }),
  "context-unknown": withView(scene([first, second]), { context: context(null) }),
  "agent-works": scene([turn(ask, [step({ text: "Someone else looks into it.", calls: [agentCall] })], running)], { others: { child: child([turn("Find", [looked, step({ calls: [call("fs_read", { path: "src/tax.js" }, { state: "running", endedAt: null, result: null })] })], running)]) } }),
  "agent-asks": scene([turn(ask, [step({ text: "Someone else looks into it.", calls: [agentCall] })], running)], { others: { child: child([turn("Find", [looked, step({ calls: [asking(editPlan)] })], waiting)]) } }),
  "agent-paused": scene([turn(ask, [step({ text: "Someone else looks into it.", calls: [agentCall] })], running)], { others: { child: child([turn("Find", [looked], { ...waiting, paused: { reason: "step_cap", message: "25 steps were made without a final answer." } })]) } }),
  "agent-lost": { ...scene([turn(ask, [step({ calls: [{ ...agentCall, id: "lost", state: "done", endedAt: NOW, result: { isError: false, text: "Two callers.", structured: null, code: null, durationMs: 9_000, replayed: false } }] })])], { press: ["agent-show"] }), gone: ["lost"] },
  gone: { ...scene([]), session: null, place: "#session=01Z", gone: ["01Z"] },
  copied: withView({ ...scene([]), place: "#session=01A" }, { title: ask, origin: { kind: "fork", session: "01C", by: null }, seed: [{ role: "user", text: "Fix the failing test" }, { role: "assistant", text: "`sum` subtracted. It adds now." }] }),
  "agent-done": scene([turn(ask, [step({ calls: [{ ...agentCall, state: "done", endedAt: NOW, result: { isError: false, text: "Two callers.", structured: null, code: null, durationMs: 9_000, replayed: false } }] }), step({ text: "Two callers expect a number." })])], { press: ["agent-show"], others: { child: child([turn("Find", [looked, step({ text: "Two callers." })])]) } }),
  "question-active": scene([turn(ask, [step({ text: "One thing first.", calls: [asked("active", { state: "waiting", endedAt: null, result: null })] })], waiting)]),
  "question-over": scene([turn(ask, [step({ calls: [asked("completed"), asked("cancelled")] }), step({ text: "Vitest it is." })], running)]),
  "schedule-made": scene([turn("Look at the build every hour", [step({ calls: [call("schedule", { title: schedule.title }, { id: schedule.id })] }), step({ text: "I will look every hour." })])], { answers: { ...answers, listSchedules: { schedules: [schedule] }, removeSchedule: { message: "The schedule was removed." } } }),
  side: scene([first], { press: ["/btw What does sum return for no numbers?", "…side-sheet"], answers: { ...answers, startSide: { session: "child" } }, others: { child: sideAnswer } }),
  "side-waits": scene([first], { press: ["/btw What?", "…side-sheet"], answers: { ...answers, startSide: { session: "child" } }, others: { child: child([turn("What?", [step({ state: "waiting_to_retry", retry: { at: NOW + 8_000, attempt: 2, fault: { code: "overloaded", message: "The model server is overloaded (529).", hint: null, retryable: true } } })], running)]) } }),
  "side-failed": scene([first], { press: ["/btw What?", "…side-sheet"], answers: { ...answers, startSide: { session: "child" } }, others: { child: child([turn("What?", [], { status: "failed", canRetry: true, fault: { code: "key_refused", message: "No.", hint: null, retryable: true } })]) } }),
  children: scene([first], { press: ["/agents", "…children-sheet"], answers: { ...answers, listChildren: { children: (["subagent", "side", "schedule", "fork"] as const).map((kind, place) => ({ id: `child-${kind}`, title: ["Find every caller of sum", "What does sum return for no numbers?", "Check the nightly build", "Fix the failing test"][place] ?? "", status: place === 0 ? "needs_you" as const : "complete" as const, workspace: "app", model: "demo", createdAt: NOW, updatedAt: NOW - 120_000, waiting: 0, kind, by: null })) } } }),
  attachments: { ...scene([{ ...first, message: { ...first.message, attachments: attachments.slice(0, 2) } }], { answers: { ...answers, readAttachment: { attachment: attachments[0] as (typeof attachments)[number], content: { kind: "text", text: "AssertionError: 3 !== -1\n    at test/sum.test.js:5:10" } }, capturePage: { draft: { kind: "page", name: "node:test documentation", mediaType: "text/markdown", source: "https://nodejs.org/api/test.html", text: "# Test runner\n\nThe `node:test` module facilitates the creation of tests." } }, addAttachment: { attachment: attachments[2] as (typeof attachments)[number] } } }), app: { ...app, incoming: [{ id: "ask1", window: null, profile: null, attachments, problem: null, at: NOW }] } },
  "context-sheet": { ...withView(scene([first, second]), { context: context(0.78) }), press: ["context-meter"] },
  palette: scene([first], { press: ["/"] }),
  tree: { ...withView(scene([first, second]), { branches }), press: ["/tree", "…branch-tree"] },
  keys: scene([first], { press: ["?"] }),
  "menu-attach": scene([first], { press: ["attach"] }),
  "menu-turn": scene([first, second], { press: ["turn-menu"] }),
  "menu-mode": scene([first], { press: ["mode-switch"] }),
  "menu-model": scene([first], { press: ["model-select"] }),
  "menu-profile": scene([first], { press: ["profile-select"] }),
  "approve-remember": scene([turn(ask, [step({ calls: [asking(editPlan)] })], waiting)], { press: ["reach-remember"], answers: { ...answers, proposeRules: { proposals: [{ target: { tool: "fs_edit", path: "src/sum.js" }, alsoMatches: [] }, { target: { tool: "fs_edit", path: "src/**" }, alsoMatches: [{ call: "old", summary: "Edit src/old.js" }] }] } } }),
  "approve-receipt": withView(scene([turn(ask, [step({ text: "Three places forget the default.", calls: [asking(hunksPlan)] })], waiting)], { press: ["lease-end"] }), { leases: [lease] }),
  "approve-lease": scene([turn(ask, [step({ calls: [asking(editPlan)] })], waiting)], { press: ["reach-lease"] }),
  "approve-note": scene([turn(ask, [step({ calls: [asking(editPlan)] })], waiting)], { press: ["approval-deny-note"] }),
  "approve-arguments": scene([turn(ask, [step({ calls: [{ ...asking(editPlan), ...written({ path: "src/sum.js", edits: [{ old_text: "return a - b;", new_text: "// Subtracting was a slip of the finger.\n  return a + b;" }] }) }] })], waiting)], { press: ["approval-edit"] }),
  "huge-events": scene(manyTurns),
  "huge-stream": { ...scene([...manyTurns, turn("And now?", [looked, step({ state: "streaming", text: "" })], running)]), wordsPerSecond: 200 },
};
