// Every state of the screens around the conversation.
import { excerptOf } from "../../app/search-index.ts";
import type { AppView, SearchHit } from "../../app/views.ts";
import type { Scene } from "./fake-client.ts";
import { call, NOW, step, turn } from "./parts.ts";
import { app, connected, fresh, notInstalled, scene, scenes, summaries } from "./scenes.ts";
import { commandPlan } from "./plans.ts";

const at = (place: string, base: Scene, more: Partial<Scene> = {}): Scene => ({ ...base, place: `#${place}`, ...more });
const done = scenes["answer"] as Scene;
const withApp = (more: Partial<AppView>): Scene => ({ connection: connected, app: { ...app, ...more }, session: null });

/** As the engine cuts them. */
const excerpt = (id: string, said: string, searched: string) => ({ turn: id, ...excerptOf(said, [searched]) });
const foundHits = [
  { session: { ...summaries[0], tags: ["release 2.0"] }, matches: [excerpt("Fix the failing test and commit it", "**Done.** `sum` subtracted instead of adding, so `test/sum.test.js` failed.\n\n- I changed *one* line in [`src/sum.js`](src/sum.js), and the test `adds` passes.", "sum"), excerpt("Now explain it", "why `sum` gave -1", "sum")] },
  { session: summaries[2], matches: [excerpt("t3", "… and the settings page now says what they sum up to, in the words of the page before it and with the same …", "sum")] },
  { session: { ...summaries[3], title: "A summary of what React 19 changes" }, matches: [] },
] as SearchHit[];
/** The second is as long as an error of a server can be. */
const problems = [
  "The page `https://docs.example.org/a-rather-long-address/of-a-page/that-nobody-may-read.html` could not be read: the browser keeps extensions away from it.",
  "`https://models.example.org/v1` did not answer in 30 seconds. It said: upstream connect error or disconnect/reset before headers, retried and the latest reset reason was that the connection to the model had been closed by a proxy between here and there.",
  "`screenshot-of-the-failing-build-on-the-second-runner-of-last-night.png` is larger than what can be attached, which is 5 MB for a picture, and 1 MB for everything else.",
];

const testRun = "\u001b[1m> node --test\u001b[22m\n\u001b[32m✔ parses a line of the price list (1.2ms)\u001b[39m\n\u001b[32m✔ rounds to whole cents (0.3ms)\u001b[39m\n\u001b[31m✖ adds (0.8ms)\u001b[39m\n  AssertionError: expected \u001b[32m3\u001b[39m, got \u001b[31m-1\u001b[39m\n      at TestContext.<anonymous> (file:///home/ada/src/app/test/sum.test.js:6:10)\n\u001b[90mℹ tests 3\nℹ pass 2\nℹ fail 1\nℹ duration_ms 48.1\u001b[39m\n";
const command = (args: Record<string, unknown>, data: Record<string, unknown>, more: Parameters<typeof call>[2] = {}) =>
  call("exec_run", args, { readOnly: false, startedAt: NOW - 64_000, endedAt: NOW - 61_600, result: { isError: false, text: "", structured: { ok: true, data }, code: null, durationMs: 2_400, replayed: false }, ...more });
const commands = scene("Fix the failing test and commit it", [
  turn("Fix the failing test and commit it", [
    step({ text: "a", calls: [command({ command: "npm_install", args: [] }, { outcome: "exited", exit_code: 0 }, { output: "added 214 packages in 3s\n" })] }),
    step({ text: "b", calls: [command({ command: "node_test", args: ["--test"] }, { outcome: "exited", exit_code: 1 }, { output: testRun, approval: { plan: commandPlan, tier: "individual", group: null, askedAt: NOW, answer: { decision: "allow", note: null, by: "user", at: NOW } } })] }),
    step({ text: "c", calls: [command({ command: "cargo_test", args: ["-p", "a-crate-with-a-long-name", "--lib"] }, { outcome: "killed", signal: "SIGTERM" }, { output: "   Compiling serde v1.0.228\n   Compiling tokio v1.48.0\n", endedAt: NOW - 2_000 })] }),
    step({ text: "d", calls: [command({ command: "vite_build" }, {}, { state: "running", startedAt: NOW - 3_200, endedAt: null, result: null, output: "transforming (128) src/ui/settings/models-section.tsx\rtransforming (391) src/ui/terminal/terminal-screen.tsx\n\u001b[33mwarning\u001b[39m a chunk is larger than 500 kB\n", outputSkippedBytes: 20_480 })] }),
  ], { status: "running", endedAt: null }),
]);

const profiles = [
  { id: "write", name: "Write", builtIn: true },
  { id: "ask", name: "Ask only", mode: "plan" as const, builtIn: true, instructions: "Only answer." },
  { id: "docs", name: "Documentation in plain words", mode: "accept_edits" as const, model: "m1", thinking: "low" as const, tools: ["fs_read", "fs_edit", "search_grep"], instructions: "Write for people who have never seen this project.", limits: { steps: 30 }, builtIn: false },
];
const rules = [
  { id: "r1", effect: "allow" as const, scope: "workspace" as const, target: { tool: "exec_run", command: "node_test", args: ["--test", "**"], workspace: "app" }, createdAt: NOW - 90_000_000, uses: 41, lastUsedAt: NOW - 300_000 },
  { id: "r2", effect: "deny" as const, scope: "always" as const, target: { tool: "*", path: "infrastructure/production/**" }, createdAt: NOW - 990_000_000, uses: 2, lastUsedAt: NOW - 86_000_000 },
  { id: "r3", effect: "ask" as const, scope: "session" as const, target: { tool: "fs_write", origin: "subagent" as const }, createdAt: NOW, uses: 0, lastUsedAt: null },
];
const leased: Scene = { ...done, session: done.session && { ...done.session, leases: [{ id: "l1", tiers: ["batch"], grantedAt: NOW - 60_000, until: NOW + 660_000, calls: 20, costUsd: null, used: 4, spentUsd: 0, unpriced: false, revoked: false }] } };
const schedules = [
  { id: "s1", title: "Look for new advisories", task: "Look whether any dependency of this project has a new security advisory, and write what you find to docs/advisories.md", timing: { kind: "cron" as const, line: "0 9 * * 1-5" }, hours: null, missed: "run_once" as const, session: null, config: app.defaults, enabled: true, by: "user" as const, nextAt: NOW + 50_000_000, lastAt: NOW - 36_000_000, runs: 12 },
  { id: "s2", title: "Check whether the build is green", task: "…", timing: { kind: "interval" as const, minutes: 120 }, hours: { from: 540, until: 1080 }, missed: "skip" as const, session: null, config: app.defaults, enabled: false, by: "model" as const, nextAt: null, lastAt: null, runs: 0 },
];

const doctor = {
  version: "0.1.0", ok: false, report: "outrigger 0.1.0 …",
  browsers: [
    { browser: "chromium", name: "Chromium", manifest: "/home/ada/.config/chromium/NativeMessagingHosts/dev.outrigger.host.json", ok: true, checks: [{ id: "manifest.present", verdict: "ok" as const, message: "the manifest is at `/home/ada/.config/chromium/NativeMessagingHosts/dev.outrigger.host.json`", fixable: false }, { id: "host.hello", verdict: "ok" as const, message: "the host answered in 8 ms", fixable: false }] },
    { browser: "firefox", name: "Firefox", manifest: null, ok: false, checks: [{ id: "manifest.present", verdict: "problem" as const, message: "there is no manifest for Firefox", fix: "outrigger install --browser firefox", fixable: true }, { id: "host.hello", verdict: "not_checked" as const, message: "the host was not started", fixable: false }] },
  ],
  general: [{ id: "binary.same", verdict: "ok" as const, message: "all browsers start the same program", fixable: false }, { id: "exec.programs", verdict: "warning" as const, message: "`outrigger` is not on the PATH", advice: "Add `~/.local/bin` to it, then open a new terminal.", fixable: false }],
};

const hunk = { id: "h1", old_start: 1, old_lines: 5, new_start: 1, new_lines: 6, lines: [" // Adds two numbers.", " export function sum(a, b) {", "-  return a - b;", "+  // Subtracting was a slip of the finger, and nobody noticed for a year.", "+  return a + b;", " }"] };
const changedFile = { folder: false, binary: false, missing: null, lineEnds: null };
const changed = [
  { turn: "an older one", session: "01A", state: "undone", commands: 0, replaced: [], finishedAt: NOW - 400_000, files: [{ ...changedFile, path: "README.md", op: "edit", added: 1, removed: 1, hunks: [{ ...hunk, lines: [" # Shop", "-Sells thigns.", "+Sells things."] }] }] },
  { turn: String(done.session?.turns[0]?.id), session: "01A", state: "done", commands: 1, replaced: [], finishedAt: NOW - 60_000, files: [{ ...changedFile, path: "src/sum.js", op: "edit", added: 2, removed: 1, hunks: [hunk] }, { ...changedFile, path: "test/fixtures/a-rather-long-name-of-a-fixture.bin", op: "create", added: 0, removed: 0, binary: true, hunks: [] }] },
];

const tagged = app.sessions.map((session, place) => (place === 0 ? { ...session, pinned: true, tags: ["release 2.0", "ci"] } : session));
const usageRow = { model: "m2", label: "Team server", requests: 12, inputTokens: 184_220, outputTokens: 12_400, cachedInputTokens: 90_000, cacheWriteTokens: 6_200, reasoningTokens: 0, costUsd: 0.41, unpriced: 0 };
const usage = [{ ...usageRow, day: "2026-11-21" }, { ...usageRow, day: "2026-11-20", costUsd: 1.2, unpriced: 2 }, { ...usageRow, day: "2026-11-20", model: "m1", label: "qwen3-coder:30b", unpriced: 12, costUsd: 0 }];

export const screenScenes: Record<string, Scene> = {
  "history": at("screen=history", withApp({})),
  "history-filter": at("screen=history", withApp({ sessions: tagged }), { press: ["session-filter"] }),
  "history-tags": at("screen=history", withApp({ sessions: tagged, retention: { at: NOW + 80_000_000, sessions: [{ id: "01D", title: "Upgrade to React 19", bytes: 90_000_000, updatedAt: NOW }] } })),
  "history-deleted": at("screen=history", withApp({ deleted: [{ id: "01X", title: "Try another bundler", until: Date.now() + 9.5 * 60_000 }, { id: "01Y", title: "", until: Date.now() + 200_000 }] }), { press: ["deleted-open"] }),
  "storage-full": { ...done, app: { ...app, storageFault: { code: "store_full", message: "The disk is full, so the browser has shut the place where your sessions are kept.", hint: null, retryable: true } } },
  "storage-full-at-start": { ...done, shut: { fault: { code: "store_full", message: "The disk is full, so the browser has shut the place where your sessions are kept.", hint: null, retryable: true }, isFirst: true } },
  "history-found": at("screen=history", withApp({ sessions: tagged }), { press: ["session-search=sum", "…excerpt"], answers: { searchSessions: { more: true, hits: foundHits } } }),
  "found": at("session=01A&part=Now%20explain%20what%20was%20wrong", scenes["two-turns"] as Scene),
  "receipts": fresh({ incoming: problems.map((message, place) => ({ id: `ask${place}`, window: null, profile: null, attachments: [], problem: { code: "of_its_own", message, hint: place === 1 ? "Reload the page, then try again." : null, retryable: true }, at: NOW })) }),
  "history-empty": at("screen=history", withApp({ sessions: [] })),
  "settings": at("screen=settings", done),
  "settings-models": at("screen=settings&part=models", done),
  "settings-models-locked": at("screen=settings&part=models", withApp({ keys: "locked" }), { press: ["↓keys-card"] }),
  "settings-passphrase": at("screen=settings&part=models", done, { press: ["passphrase-set"] }),
  "settings-found": at("screen=settings&part=models", done, { press: ["find-servers"], answers: { findLocalServers: { servers: [{ name: "Ollama", baseUrl: "http://127.0.0.1:11434/v1", models: ["qwen3-coder:30b", "llama3.3:70b-instruct-q4_K_M"] }, { name: "LM Studio", baseUrl: "http://127.0.0.1:1234/v1", models: [] }] } } }),
  "settings-model-new": at("screen=settings&part=models/new", done),
  "settings-model-edit": at("screen=settings&part=models/m2", done),
  "settings-profiles": at("screen=settings&part=profiles", done, { answers: { listProfiles: { profiles } } }),
  "settings-profile": at("screen=settings&part=profiles/docs", done, { answers: { listProfiles: { profiles } } }),
  "settings-profile-hooks": at("screen=settings&part=profiles/docs", done, { answers: { listProfiles: { profiles: profiles.map((profile) => (profile.id === "docs" ? { ...profile, hooks: ["verify_changes"] } : profile)) }, listHooks: { hooks: [{ id: "date", summary: "Tells the date.", isDefault: true }, { id: "verify_changes", summary: "Asks to check.", isDefault: false }] } }, press: ["↓profile-hooks"] }),
  "settings-rules": at("screen=settings&part=rules", leased, { answers: { listRules: { rules } } }),
  "settings-rules-none": at("screen=settings&part=rules", withApp({}), { answers: { listRules: { rules: [] } } }),
  "settings-rule-new": at("screen=settings&part=rules/new", done, { answers: { previewRule: { alsoMatches: [{ call: "c", summary: "Run node_test" }] }, listRules: { rules } } }),
  "settings-rule-change": at("screen=settings&part=rules/r1", done, { answers: { previewRule: { alsoMatches: [] }, listRules: { rules } } }),
  "settings-rule-gone": at("screen=settings&part=rules/r9", done, { answers: { listRules: { rules } } }),
  "settings-saved": at("screen=settings&part=limits", done, { press: ["limits-save"] }),
  "settings-lease-new": at("screen=settings&part=rules", done, { answers: { listRules: { rules: [] } }, press: ["lease-add"] }),
  "settings-schedules": at("screen=settings&part=schedules", done, { answers: { listSchedules: { schedules } } }),
  "settings-schedule": at("screen=settings&part=schedules/s1", done, { answers: { listSchedules: { schedules } } }),
  "settings-limits": at("screen=settings&part=limits", withApp({ defaults: { ...app.defaults, limits: { steps: 80, toolTimeoutsMs: { exec_run: 900_000 } } } })),
  "settings-usage": at("screen=settings&part=usage", done, { answers: { listUsage: { rows: usage } } }),
  "settings-alerts": at("screen=settings&part=alerts", done),
  "settings-erase": at("screen=settings&part=data", done, { press: ["erase-all"], answers: { storageUse: { sessionBytes: 84_000_000, sessions: 41, usedBytes: 91_000_000, quotaBytes: 12_000_000_000, persisted: false } } }),
  "settings-data": at("screen=settings&part=data", done, { answers: { storageUse: { sessionBytes: 84_000_000, sessions: 41, usedBytes: 91_000_000, quotaBytes: 12_000_000_000, persisted: false } } }),
  "settings-look": at("screen=settings&part=look", done),
  "connection": at("screen=connection", done),
  "connection-failed": at("screen=connection", { ...done, connection: notInstalled }),
  "connection-doctor": at("screen=connection", done, { answers: { runDoctor: doctor }, press: ["doctor-run"] }),
  "welcome": { connection: notInstalled, app, session: null, welcome: { isFirefox: false, isPinned: false } },
  "welcome-pinned": { connection: notInstalled, app, session: null, welcome: { isFirefox: true, isPinned: true }, press: ["welcome-open"] },
  "first-nothing": { connection: notInstalled, app: { ...app, sessions: [], workspaces: null, models: app.models.slice(0, 1) }, session: null },
  "first-folder": { connection: connected, app: { ...app, sessions: [], workspaces: [], models: app.models.slice(0, 1) }, session: null },
  "first-no-dialog": { connection: connected, app: { ...app, sessions: [], workspaces: [], models: app.models.slice(0, 1) }, session: null, press: ["workspace-pick"], answers: { pickWorkspace: { state: "unavailable", reason: "no_dialog", message: "no dialog could be shown", hint: null, command: "outrigger workspace add DIR" } } },
  "first-model": { connection: connected, app: { ...app, sessions: [], models: app.models.slice(0, 1) }, session: null },
  "settings-workspaces": at("screen=settings&part=workspaces", withApp({ recentWorkspaces: [{ id: "app", lastUsedAt: NOW - 500_000, sessions: 12 }] })),
  "changes": at("screen=changes&session=01A", done, { answers: { listChanges: { turns: changed } } }),
  "changes-partly": at("screen=changes&session=01A", { ...done, session: done.session && { ...done.session, undone: [{ turn: String(done.session.turns[0]?.id), direction: "undo", state: "done", files: [{ path: "src/sum.js", action: "restore", conflict: null }], at: NOW }] } }, { answers: { listChanges: { turns: changed.slice(1).map((each) => ({ ...each, state: "partly", files: each.files.slice(1) })) }, undoTurn: { state: "nothing", files: [] }, redoTurn: { state: "nothing", files: [] } } }),
  "changes-split": at("screen=changes&session=01A", done, { answers: { listChanges: { turns: changed } }, press: ["diff-layout-split"] }),
  "changes-conflict": at("screen=changes&session=01A", done, { answers: { listChanges: { turns: changed }, undoTurn: { state: "conflict", files: [{ path: "src/sum.js", action: "restore", conflict: "it has changed since", turn: "t" }, { path: "test/sum.test.js", action: "delete", conflict: null, turn: "t" }] } }, press: ["turn-take-back"] }),
  "changes-replaced": at("screen=changes&session=01A", done, { answers: { listChanges: { turns: changed.map((each, place) => (place === 1 ? { ...each, state: "undone", replaced: ["src/sum.js"] } : each)) } } }),
  "changes-empty": at("screen=changes&session=01A", done, { answers: { listChanges: { turns: [] } } }),
  "terminal": at("screen=terminal&session=01A", commands),
  "terminal-empty": at("screen=terminal&session=01A", scene("Explain this project", [turn("Explain this project", [step({ text: "A shop." })])])),
};
