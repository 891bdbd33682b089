// The main job, from an open panel to a commit, and the look at the folder itself that says whether it was done.
//
// Every approval is answered in the panel; what was shown there is taken down. The checks trust nothing that the panel says:
// they compare the folder, its tests and its history with the plans that were approved.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { eventsOf, explainLogFaults, readLog } from "./log.mjs";
import { waitUntil } from "./wait.mjs";
import { git } from "./workspace.mjs";

export const TASK = "A test fails. Find out why, fix it, run the tests, and commit the fix.";

const ENDS = ["complete", "failed", "cancelled"];

/** Drives the panel until the turn has ended. `look(stage)` is called at each stage. Gives what was approved, in order. */
export async function doMainJob(panel, { task = TASK, look = async () => {}, timeoutMs = 180_000 } = {}) {
  await look("ready");
  await panel.send(task);
  const approved = [];
  const end = Date.now() + timeoutMs;
  for (;;) {
    const next = await waitUntil("the next approval or the end of the turn", () => nextStage(panel, approved), { timeoutMs: Math.max(1_000, end - Date.now()), describe: () => panel.words() });
    if (next.ended !== undefined) {
      await look(next.ended);
      return { state: next.ended, approved };
    }
    await panel.readApproval();
    await look(`approve-${next.card.tool}`);
    approved.push(next.card);
    await panel.allow();
  }
}

async function nextStage(panel, approved) {
  const card = (await panel.approvalCards()).find((candidate) => !approved.some((known) => known.call === candidate.call));
  if (card !== undefined) return { card };
  const state = (await panel.turnStates()).at(-1);
  return ENDS.includes(state) ? { ended: state } : null;
}

/** The original text of every file the plans may touch, to be taken before the job. */
export function readTree(folder, environment) {
  const files = git(folder, environment, "ls-files", "-z").split("\0").filter(Boolean);
  return new Map(files.map((file) => [file, readFileSync(path.join(folder, file), "utf8")]));
}

/** Looks at the folder and the log; each check is `{name, ok, detail}`. */
export async function checkMainJob(panel, { folder, environment, before, state, approved }) {
  const log = await readLog(panel.page);
  const plans = approvedPlans(log);
  const checks = [];
  const check = (name, look) => {
    try {
      const fault = look();
      checks.push({ name, ok: fault === null, detail: fault });
    } catch (error) {
      checks.push({ name, ok: false, detail: error.message });
    }
  };
  const asked = approved.map((card) => card.tool);
  check("the turn is complete", () => (state === "complete" ? null : `it is ${state}`));
  for (const tool of ["fs_edit", "exec_run", "git_commit"]) check(`${tool} was asked for in the panel`, () => (asked.includes(tool) ? null : `asked for: ${asked.join(", ") || "nothing"}`));
  check("tools that only read ran without asking", () => {
    const read = eventsOf(log, "ToolRequested").filter((event) => event.readOnly);
    return read.length > 0 ? null : "no tool that reads was called";
  });
  check("a test run failed before the fix and passed after it", () => explainTestRuns(log));
  check("every changed file is exactly what its plan said", () => explainFiles(folder, before, plans));
  check("node --test is green", () => {
    execFileSync(process.execPath, ["--test"], { cwd: folder, env: withoutTestRunner(environment), stdio: "pipe" });
    return null;
  });
  check("there is one new commit, with the approved message and files", () => explainCommit(folder, environment, before, plans));
  check("the working tree is clean", () => git(folder, environment, "status", "--porcelain").trim() || null);
  check("the log has exactly one result per call", () => explainLogFaults(log).join("; ") || null);
  return { checks, log };
}

/** A `node --test` that is started from within one reports to its parent instead of deciding its own exit code. */
function withoutTestRunner({ NODE_TEST_CONTEXT: _, ...environment }) {
  return environment;
}

/** The plans a person allowed, in the order of the answers. */
function approvedPlans(log) {
  const plans = new Map(eventsOf(log, "ApprovalAsked").map((event) => [event.plan.id, event.plan]));
  return eventsOf(log, "ApprovalAnswered").filter((event) => event.decision === "allow").map((event) => plans.get(event.plan));
}

function explainTestRuns(log) {
  const names = new Map(eventsOf(log, "ToolRequested").map((event) => [event.call, event.tool]));
  const results = eventsOf(log, "ToolResult").map((event) => ({ tool: names.get(event.call), isError: event.isError, exit: event.structured?.data?.exit_code }));
  const edit = results.findIndex((result) => result.tool === "fs_edit" && !result.isError);
  const runs = results.map((result, index) => ({ ...result, index })).filter((result) => result.tool === "exec_run");
  if (edit === -1) return "no edit succeeded";
  if (!runs.some((run) => run.index < edit && run.exit !== 0)) return `no failing run before the edit: ${JSON.stringify(results)}`;
  return runs.some((run) => run.index > edit && run.exit === 0) ? null : `no passing run after the edit: ${JSON.stringify(results)}`;
}

function explainFiles(folder, before, plans) {
  const expected = new Map(before);
  const touched = new Set();
  for (const plan of plans.filter((candidate) => candidate.preview.kind === "files")) {
    for (const file of plan.preview.files) {
      expected.set(file.path, applyHunks(expected.get(file.path) ?? "", file.hunks));
      touched.add(file.path);
    }
  }
  if (touched.size === 0) return "no file plan was approved";
  for (const [file, text] of expected) {
    const now = readFileSync(path.join(folder, file), "utf8");
    if (now !== text) return `${file} is not what the plan said:\n${now}`;
    if (touched.has(file) && now === before.get(file)) return `${file} did not change`;
  }
  return null;
}

/** Rebuilds a text from the hunks of a plan. Throws where they do not fit. */
export function applyHunks(text, hunks) {
  const lines = text.split("\n");
  const built = [];
  let at = 0;
  for (const hunk of hunks) {
    const start = hunk.old_lines === 0 ? hunk.old_start : hunk.old_start - 1;
    built.push(...lines.slice(at, start));
    at = start;
    for (const line of hunk.lines) {
      const [kind, rest] = [line.slice(0, 1), line.slice(1)];
      if (kind === "+") built.push(rest);
      else if (kind === " " || kind === "-") {
        if (lines[at] !== rest) throw new Error(`the plan's line ${at + 1} reads ${JSON.stringify(rest)}, the file's ${JSON.stringify(lines[at])}`);
        if (kind === " ") built.push(rest);
        at += 1;
      }
    }
  }
  return [...built, ...lines.slice(at)].join("\n");
}

function explainCommit(folder, environment, before, plans) {
  const count = Number(git(folder, environment, "rev-list", "--count", "HEAD"));
  if (count !== 2) return `there are ${count - 1} new commits`;
  const plan = plans.findLast((candidate) => candidate.preview.kind === "commit");
  if (plan === undefined) return "no commit plan was approved";
  const message = git(folder, environment, "log", "-1", "--format=%B").trim();
  if (message !== plan.preview.message.trim()) return `the message is ${JSON.stringify(message)}, approved was ${JSON.stringify(plan.preview.message)}`;
  const changed = git(folder, environment, "diff", "--name-only", "HEAD~1", "HEAD").trim().split("\n").toSorted();
  const planned = plan.preview.files.map((file) => file.path).toSorted();
  if (changed.join() !== planned.join()) return `the commit changes ${changed.join(", ")}, approved were ${planned.join(", ")}`;
  for (const file of changed) if (before.get(file) === git(folder, environment, "show", `HEAD:${file}`)) return `${file} is committed unchanged`;
  return null;
}
