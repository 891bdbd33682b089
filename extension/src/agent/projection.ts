// From the folded log to what the panel shows. Pure, and stable: what did not change is the same object as before.
import { meterOf, type ContextMeter } from "./meter.ts";
import { taintOf } from "./circumstances.ts";
import { nearestCap } from "./caps.ts";
import { commandsOf } from "./commands.ts";
import type { Usage } from "./events.ts";
import { neededOrigin } from "./needed-origin.ts";
import { todosOf } from "./todos.ts";
import { isSealed, turnsOfBranch, waitsForPerson, type BranchLog, type CallLog, type SessionLog, type StepLog, type TurnLog } from "./log.ts";
import type { BranchView, SessionView, StepView, ToolCallState, ToolCallView, ToolResultView, TurnStatus, TurnView } from "./session-view.ts";

const turnViews = new WeakMap<TurnLog, TurnView>();
const stepViews = new WeakMap<StepLog, StepView>();
const callViews = new WeakMap<CallLog, { readonly sealed: boolean; readonly view: ToolCallView }>();

export function viewSession(log: SessionLog): SessionView {
  const turns = log.turns.map(viewTurn);
  return {
    id: log.session,
    seq: log.seq,
    title: titleOf(log),
    pinned: log.pinned,
    tags: log.tags,
    commands: commandsOf(turns),
    createdAt: log.createdAt,
    updatedAt: log.updatedAt,
    status: turns.at(-1)?.status ?? "idle",
    config: log.config,
    turns,
    // Only the last turn can wait for anything.
    waiting: (turns.at(-1)?.steps ?? []).flatMap((step) => step.calls).filter((call) => call.state === "waiting"),
    usage: turns.map((turn) => turn.usage).reduce(addUsage, NO_USAGE),
    queue: log.queue,
    leases: log.leases,
    rules: log.rules,
    strangers: taintOf(log),
    context: contextOf(log),
    compactions: log.compactions,
    origin: log.origin,
    seed: log.seed,
    todos: todosOf(log),
    branch: log.branch,
    branches: log.branches.map((branch) => viewBranch(log, branch)),
    undone: log.undone,
    undoLeft: log.undoLeft,
    compacting: log.compactRequested !== null,
    compactRetry: log.compactRetry,
  };
}

function viewBranch(log: SessionLog, { id, kind, from, parent, at }: BranchLog): BranchView {
  const turns = (turnsOfBranch(log, id) ?? []).map((turn) => ({ id: turn.id, text: turn.text, status: turnStatus(turn), at: turn.at }));
  return { id, kind, from, parent, at, isCurrent: id === log.branch, turns };
}

let lastContext: { readonly key: string; readonly meter: ContextMeter } | null = null;

/** Counted anew at boundaries only: a stream of deltas must not count the whole conversation each time. */
function contextOf(log: SessionLog): ContextMeter {
  const turn = log.turns.at(-1);
  const key = [log.session, log.branch, log.turns.length, turn?.id, turn?.begun, turn?.notes.length, log.turns.filter(({ pinned }) => pinned).map(({ id }) => id).join(), turn?.steers.length, turn?.steps.map((step) => `${step.state}${step.calls.filter((call) => call.result !== null).length}`).join(), log.compactions.map(({ id }) => id).join()].join("|");
  if (lastContext?.key !== key) lastContext = { key, meter: meterOf(log) };
  return lastContext.meter;
}

/** Why 60: it fits one line of a panel of 360 px. */
const TITLE_LENGTH = 60;

export function titleOf(log: SessionLog): string {
  if (log.title !== null) return log.title;
  const line = (log.turns[0]?.text ?? "").trim().split("\n", 1)[0] ?? "";
  return [...line].length <= TITLE_LENGTH ? line : `${[...line].slice(0, TITLE_LENGTH - 1).join("").trimEnd()}…`;
}

export function turnStatus(turn: TurnLog): TurnStatus {
  if (turn.outcome !== null) return turn.outcome;
  if (turn.stopping) return "running";
  if (turn.paused !== null) return "needs_you";
  const waits = turn.steps.some((step) => isSealed(step) && step.calls.some(waitsForPerson));
  return waits ? "needs_you" : "running";
}

const NO_USAGE: Usage = { inputTokens: null, outputTokens: null, cachedInputTokens: null, reasoningTokens: null };

function viewTurn(turn: TurnLog): TurnView {
  const known = turnViews.get(turn);
  if (known !== undefined) return known;
  const view: TurnView = {
    id: turn.begun ? turn.id : null,
    message: { id: turn.id, text: turn.text, attachments: turn.attachments, at: turn.at },
    status: turnStatus(turn),
    mode: turn.config.mode,
    model: turn.config.model,
    modelLabel: turn.modelLabel,
    steps: turn.steps.map(viewStep),
    startedAt: turn.at,
    endedAt: turn.endedAt,
    stopping: turn.stopping,
    paused: turn.paused,
    fault: turn.fault,
    canRetry: turn.outcome === "failed" || turn.outcome === "cancelled" || turn.paused !== null,
    usage: [...turn.steps, ...turn.summaries].map(({ usage }) => usage ?? NO_USAGE).reduce(addUsage, NO_USAGE),
    costUsd: [...turn.steps, ...turn.summaries].map(({ costUsd }) => costUsd).reduce(add, null),
    pinned: turn.pinned,
    steers: turn.steers,
    notes: turn.notes,
    nearing: turn.outcome === null ? nearestCap(turn) : null,
    notices: turn.notices,
  };
  turnViews.set(turn, view);
  return view;
}

function viewStep(step: StepLog): StepView {
  const known = stepViews.get(step);
  if (known !== undefined) return known;
  const sealed = isSealed(step);
  const view: StepView = {
    id: step.id,
    index: step.index,
    attempt: step.attempt,
    state: sealed ? "done" : step.state === "cut" ? "draft" : step.state === "waiting_to_retry" ? "waiting_to_retry" : "streaming",
    text: step.text,
    reasoning: step.reasoning,
    calls: step.calls.map((call) => viewCall(call, step)),
    usage: step.usage,
    costUsd: step.costUsd,
    startedAt: step.startedAt,
    retry: step.retry,
  };
  stepViews.set(step, view);
  return view;
}

function viewCall(call: CallLog, step: StepLog): ToolCallView {
  const sealed = isSealed(step);
  const dropped = step.state === "cut" || step.state === "waiting_to_retry";
  const known = callViews.get(call);
  if (known !== undefined && known.sealed === sealed && !dropped) return known.view;
  const view: ToolCallView = {
    id: call.id,
    step: call.step,
    tool: call.tool,
    state: dropped ? "dropped" : sealed ? callState(call) : "writing",
    readOnly: call.readOnly,
    argsText: call.argsText,
    written: call.written,
    args: call.args,
    startedAt: call.startedAt,
    endedAt: call.endedAt,
    progress: call.progress,
    output: call.output,
    outputSkippedBytes: call.outputSkippedBytes + call.outputCut,
    result: viewResult(call),
    question: call.question,
    approval:
      call.asked === null
        ? null
        : {
            plan: call.asked.plan,
            tier: call.asked.plan.tier,
            group: call.asked.plan.tier === "batch" && call.path !== null ? call.step : null,
            askedAt: call.asked.at,
            needsOrigin: call.args === null ? null : neededOrigin(call.tool, call.args),
            answer: call.answer === null ? null : { decision: call.answer.decision, note: call.answer.note, by: call.answer.by, at: call.answer.at },
          },
  };
  if (!dropped) callViews.set(call, { sealed, view });
  return view;
}

function callState(call: CallLog): ToolCallState {
  switch (call.state) {
    case "requested":
      return "queued";
    case "started":
      return "running";
    case "asked":
    case "questioned":
      return "waiting";
    case "answered":
      return call.sent ? "running" : "answered";
    case "settled": {
      if (call.result?.isError !== true) return "done";
      const code = resultCode(call.result.structured);
      if (code === "approval_denied") return "denied";
      return code === "cancelled" ? "cancelled" : "failed";
    }
  }
}

function viewResult(call: CallLog): ToolResultView | null {
  if (call.result === null) return null;
  const { isError, text, structured, durationMs, replayed, pictures } = call.result;
  return { isError, text, structured, code: resultCode(structured), durationMs, replayed, ...(pictures.length === 0 ? {} : { pictures }) };
}

/** The host's failure code in a result's structured content. */
export function resultCode(structured: unknown): string | null {
  if (typeof structured !== "object" || structured === null || !("code" in structured)) return null;
  return typeof structured.code === "string" ? structured.code : null;
}

function addUsage(left: Usage, right: Usage): Usage {
  return {
    inputTokens: add(left.inputTokens, right.inputTokens),
    outputTokens: add(left.outputTokens, right.outputTokens),
    cachedInputTokens: add(left.cachedInputTokens, right.cachedInputTokens),
    reasoningTokens: add(left.reasoningTokens, right.reasoningTokens),
    cacheWriteTokens: add(left.cacheWriteTokens ?? null, right.cacheWriteTokens ?? null),
  };
}

/** Unknown stays unknown: a missing count is never shown as 0. */
function add(left: number | null, right: number | null): number | null {
  return left === null ? right : right === null ? left : left + right;
}
