// The log's meaning: events in, the state of a session out. Pure; shared by the engine and the panel.
//
// It never throws on a strange log. An event that does not fit (a second result, a call nobody made) changes nothing,
// so a damaged or imported log is normal again after it was folded: one result per call, the first one.
import { parseArgs } from "../lib/parse-args.ts";
import type { AgentEvent, ModelLimits, StoredEvent } from "./events.ts";
import { foldBranches, MAIN_BRANCH } from "./fold-branches.ts";
import { foldGrants } from "./fold-grants.ts";
import { foldQueue } from "./fold-queue.ts";
import { DEFAULT_CONFIG, findCall, isPartly, isWaiting, type CallLog, type CompactionLog, type SessionLog, type StepLog, type SummaryLog, type TurnLog } from "./log.ts";

/** A card shows the end of the output; all of it is in the log. More would slow every repaint of a running command. */
const OUTPUT_TAIL = 65_536;

export function emptyLog(session: string): SessionLog {
  return { session, seq: 0, lastEvent: null, createdAt: 0, updatedAt: 0, config: DEFAULT_CONFIG, origin: null, seed: [], seedStrangers: [], title: null, pinned: false, tags: [], turns: [], branch: MAIN_BRANCH.id, branches: [MAIN_BRANCH], undone: [], undoing: null, undoLeft: null, queue: [], isQueueHeld: false, rules: [], leases: [], compactions: [], compactRequested: null, compactRetry: null };
}

export function foldEvent(log: SessionLog, stored: StoredEvent): SessionLog {
  const next = apply(FOLDS.reduce((state, fold) => fold(state, stored.event, stored.at), countWork(log, stored)), stored.event, stored.at);
  return {
    ...next,
    seq: stored.seq,
    lastEvent: stored.id,
    createdAt: log.seq === 0 ? stored.at : log.createdAt,
    updatedAt: stored.at,
  };
}

export function foldEvents(session: string, events: readonly StoredEvent[]): SessionLog {
  return foldMore(emptyLog(session), events);
}

/** Many at once: as `foldEvent` for each, but what nobody sees in between is changed in place instead of copied. */
export function foldMore(log: SessionLog, events: readonly StoredEvent[]): SessionLog {
  const before = owned;
  owned = new Set();
  try {
    return events.reduce(foldEvent, log);
  } finally {
    owned = before;
  }
}

/** Lists that were made in the row of events that is folded now: only it knows them. Null: one event, and every list is somebody's. */
let owned: Set<readonly unknown[]> | null = null;

function replaced<Item>(list: readonly Item[], place: number, item: Item): readonly Item[] {
  if (owned?.has(list) === true) {
    (list as Item[])[place] = item;
    return list;
  }
  const copy = list.with(place, item);
  owned?.add(copy);
  return copy;
}

/** Each keeps its own part of the log. */
const FOLDS = [foldQueue, foldGrants, foldBranches, foldCompactRetry] as const;

/** A wait is over with whatever comes of it, or with what makes it pointless. */
function foldCompactRetry(log: SessionLog, event: AgentEvent): SessionLog {
  switch (event.type) {
    case "CompactRetryScheduled":
      return { ...log, compactRetry: { at: event.at, attempt: event.attempt, fault: event.fault, ...(event.billed === undefined ? {} : { billed: event.billed }) } };
    case "CompactRequested":
    case "Compacted":
    case "CompactFailed":
    case "UserMessage":
    case "StepStart":
    case "StopRequested":
    case "TurnPaused":
    case "TurnEnd":
    case "BranchStart":
    case "BranchSelected":
      return log.compactRetry === null ? log : { ...log, compactRetry: null };
    default:
      return log;
  }
}

/** The time since the last event was work, unless a person was waited for or the engine was not there. */
function countWork(log: SessionLog, { event, at }: StoredEvent): SessionLog {
  const turn = log.turns.at(-1);
  const wasAway = event.type === "Recovered" || (event.type === "StreamCut" && event.fault.code === "interrupted");
  if (turn === undefined || turn.outcome !== null || !turn.begun || wasAway || isWaiting(turn)) return log;
  const worked = Math.max(0, at - log.updatedAt);
  return worked === 0 ? log : { ...log, turns: replaced(log.turns, log.turns.length - 1, { ...turn, workedMs: turn.workedMs + worked }) };
}

function apply(log: SessionLog, event: AgentEvent, at: number): SessionLog {
  switch (event.type) {
    case "SessionStarted":
      return { ...log, config: event.config, origin: event.origin ?? null };
    case "SessionConfigured":
      return { ...log, config: event.config };
    case "Seeded":
      return { ...log, seed: event.messages, seedStrangers: event.strangers };
    case "QuestionAsked":
      return progressed(
        inCall(log, event.call, (call) => (call.state === "settled" ? call : { ...call, state: "questioned", question: { question: event.question, status: "active", answer: null, at } })),
      );
    case "QuestionAnswered":
      return inCall(log, event.call, (call) => (call.question === null ? call : { ...call, question: { ...call.question, status: "completed", answer: event.answer } }));
    case "QuestionFailed":
      return inCall(log, event.call, (call) => (call.question === null ? call : { ...call, question: { ...call.question, status: "failed" } }));
    case "QuestionCancelled":
      return inCall(log, event.call, (call) => (call.question === null ? call : { ...call, question: { ...call.question, status: "cancelled" } }));
    case "TitleSet":
      return { ...log, title: event.title };
    case "SessionPinned":
      return { ...log, pinned: event.pinned };
    case "SessionTagged":
      return { ...log, tags: event.tags };
    case "UserMessage":
      return { ...log, turns: [...log.turns, newTurn(log, event, at)] };
    case "QueueAdded":
    case "QueueEdited":
    case "QueueMoved":
    case "QueueRemoved":
    case "RuleAdded":
    case "RuleRevoked":
    case "LeaseGranted":
    case "LeaseRevoked":
    case "BranchStart":
    case "BranchSelected":
    case "UndoStarted":
    case "UndoEnded":
    case "UndoDone":
    case "CompactRetryScheduled":
      return log;
    case "Steered":
      return inTurn(log, event.turn, (turn) => ({ ...turn, steers: [...turn.steers, { id: event.item, text: event.text, attachments: event.attachments ?? [], afterSteps: turn.steps.length, at }] }));
    case "HookNoted":
      return inTurn(log, event.turn, (turn) =>
        turn.notes.some(({ key }) => key === event.key) ? turn : { ...turn, notes: [...turn.notes, { hook: event.hook, key: event.key, text: event.text, afterSteps: turn.steps.length, at }] },
      );
    case "HandedOver":
      return { ...inTurn(log, event.turn, (turn) => ({ ...turn, config: event.config, ...handedTo(turn, event) })), config: event.config };
    case "TurnStart":
      return inTurn(log, event.turn, (turn) => ({ ...turn, begun: true, config: event.config, modelLabel: event.modelLabel, limits: event.limits ?? UNKNOWN_LIMITS }));
    case "CompactRequested":
      return { ...log, compactRequested: event.compaction };
    case "Compacted": {
      const { compaction: id, turn, steps, summary, tokensBefore, tokensAfter, by } = event;
      return withCompaction(log, { id, turn, steps, summary, tokensBefore, tokensAfter, by, failed: false, at }, { usage: event.usage, costUsd: event.costUsd ?? null, fault: null });
    }
    case "CompactFailed":
      return withCompaction(log, { id: event.compaction, turn: "", steps: 0, summary: "", tokensBefore: 0, tokensAfter: 0, by: "engine", failed: true, at }, { usage: event.usage ?? null, costUsd: event.costUsd ?? null, fault: event.fault });
    case "CompactionUndone":
      return { ...log, compactions: log.compactions.filter(({ id }) => id !== event.compaction) };
    case "TurnPinned":
      return inTurn(log, event.turn, (turn) => ({ ...turn, pinned: event.pinned }));
    case "StepStart":
      return inTurn(log, event.turn, (turn) => ({
        ...turn,
        steps: [...turn.steps.map(settleDraft), newStep(event, at)],
      }));
    case "TurnPaused":
      return inTurn(log, event.turn, (turn) => ({ ...turn, paused: { reason: event.reason, message: event.message } }));
    case "TurnResumed":
      return inTurn(log, event.turn, (turn) => ({
        ...turn,
        continuedFull: turn.continuedFull || turn.paused?.reason === "context_full",
        paused: null,
        stopping: false,
        outcome: null,
        fault: null,
        endedAt: null,
        recoveries: 0,
        workedMs: 0,
        resumedAt: turn.steps.length,
      }));
    case "StopRequested":
      return inTurn(log, event.turn, (turn) => (turn.outcome === null ? { ...turn, stopping: true, paused: null } : turn));
    case "TurnEnd":
      return inTurn(log, event.turn, (turn) => ({
        ...turn,
        steps: turn.steps.map(settleDraft),
        outcome: event.outcome,
        fault: event.fault,
        paused: null,
        stopping: false,
        endedAt: at,
      }));
    case "Recovered":
      return inTurn(log, event.turn, (turn) => ({ ...turn, recoveries: turn.recoveries + 1, notices: [...turn.notices, event.what] }));
    case "AssistantDelta":
      return inStep(log, event.step, (step) => (step.state === "streaming" ? { ...step, text: step.text + event.text } : step));
    case "ReasoningDelta":
      return inStep(log, event.step, (step) => (step.state === "streaming" ? { ...step, reasoning: step.reasoning + event.text } : step));
    case "ToolRequested":
      return inStep(log, event.step, (step) =>
        step.state !== "streaming" || step.calls.some((call) => call.id === event.call) ? step : { ...step, calls: [...step.calls, newCall(event)] },
      );
    case "AssistantDone":
      return progressed(
        inStep(log, event.step, (step) =>
          step.state === "streaming"
            ? {
                ...step,
                state: "sealed",
                text: event.text,
                reasoning: event.reasoning,
                finish: event.finish,
                usage: event.usage,
                costUsd: event.costUsd ?? null,
                estimate: event.estimate ?? null,
                providerData: event.providerData ?? null,
              }
            : step,
        ),
      );
    case "StreamCut":
      return inStep(log, event.step, (step) =>
        step.state === "streaming" ? { ...step, state: "cut", cut: { fault: event.fault, retryAfterMs: event.retryAfterMs } } : step,
      );
    case "RetryScheduled":
      return inStep(log, event.step, (step) =>
        step.state === "cut" ? { ...step, state: "waiting_to_retry", retry: { at: event.at, attempt: event.attempt, fault: event.fault } } : step,
      );
    case "StepEnd":
      return inStep(log, event.step, (step) => (step.state === "sealed" ? { ...step, state: "ended" } : step));
    case "ToolStarted":
      return inCall(log, event.call, (call) =>
        call.state === "settled" ? call : { ...call, state: call.state === "requested" ? "started" : call.state, sent: true, journal: event.journal ?? null, startedAt: call.startedAt ?? at },
      );
    case "ToolProgress":
      return inCall(log, event.call, (call) => ({ ...call, progress: { progress: event.progress, total: event.total, message: event.message } }));
    case "ToolOutput":
      return inCall(log, event.call, (call) => {
        const output = call.output + event.text;
        const cut = Math.max(0, output.length - OUTPUT_TAIL);
        return { ...call, output: output.slice(cut), outputCut: call.outputCut + cut, outputSkippedBytes: Math.max(call.outputSkippedBytes, event.skippedBytes) };
      });
    case "PolicyDecision":
      return log;
    case "ApprovalAsked":
      return progressed(
        inCall(log, event.call, (call) =>
          call.state === "settled"
            ? call
            : {
                ...call,
                state: "asked",
                sent: false,
                asked: {
                  plan: event.plan,
                  requestState: event.requestState,
                  instance: event.instance,
                  at: call.asked?.plan.digest === event.plan.digest ? call.asked.at : at,
                },
                answer: null,
                isPartly: isPartly(call),
              },
        ),
      );
    case "ApprovalAnswered":
      return inCall(log, event.call, (call) =>
        call.state !== "asked" || call.asked?.plan.id !== event.plan
          ? call
          : {
              ...call,
              state: "answered",
              answer: { decision: event.decision, digest: event.digest, note: event.note, hunks: event.hunks, by: event.by, at },
            },
      );
    case "ArgsEdited":
      return inCall(log, event.call, (call) =>
        call.state !== "asked"
          ? call
          : { ...call, key: event.key, written: call.written ?? call.argsText, argsText: event.argsText, args: parseArgs(event.argsText), path: null, state: "requested", sent: false, asked: null },
      );
    case "ToolResult":
      return progressed(
        inCall(log, event.call, (call) =>
          call.state === "settled"
            ? call
            : {
                ...call,
                state: "settled",
                endedAt: at,
                // Whatever ended the call ended its question: no card waits for an answer that nobody takes.
                question: call.question?.status === "active" ? { ...call.question, status: "cancelled" } : call.question,
                result: {
                  isError: event.isError,
                  text: event.text,
                  structured: event.structured,
                  origin: event.origin,
                  replayed: event.replayed,
                  durationMs: event.durationMs,
                  stranger: event.stranger ?? null,
                  pictures: event.pictures ?? [],
                },
              },
        ),
      );
  }
}

function withCompaction(log: SessionLog, compaction: CompactionLog, spent: Pick<SummaryLog, "usage" | "costUsd" | "fault">): SessionLog {
  if (log.compactions.some(({ id }) => id === compaction.id)) return log;
  const turn = log.turns.at(-1);
  const turns = turn === undefined ? log.turns : replaced(log.turns, log.turns.length - 1, { ...turn, summaries: [...turn.summaries, { ...spent, afterSteps: turn.steps.length, resumedAt: turn.resumedAt }] });
  return { ...log, turns, compactRequested: null, compactions: [...log.compactions, compaction] };
}

const UNKNOWN_LIMITS: ModelLimits = { window: null, output: null };

/** Another model holds more, or less: where it is not told how much, nothing is known of it. */
function handedTo({ modelLabel, limits, config }: TurnLog, event: Extract<AgentEvent, { type: "HandedOver" }>): Pick<TurnLog, "modelLabel" | "limits"> {
  const isSame = config.model === event.config.model;
  return { modelLabel: event.modelLabel ?? (isSame ? modelLabel : event.config.model), limits: event.limits ?? (isSame ? limits : UNKNOWN_LIMITS) };
}

/** Nothing streams or waits any more: what arrived is a draft. */
function settleDraft(step: StepLog): StepLog {
  return step.state === "waiting_to_retry" || step.state === "streaming" ? { ...step, state: "cut", retry: null } : step;
}

function newTurn(log: SessionLog, { message, text, attachments = [] }: Extract<AgentEvent, { type: "UserMessage" }>, at: number): TurnLog {
  return {
    id: message,
    text,
    attachments,
    at,
    begun: false,
    config: log.config,
    modelLabel: "",
    limits: UNKNOWN_LIMITS,
    pinned: false,
    steps: [],
    steers: [],
    notes: [],
    summaries: [],
    workedMs: 0,
    stopping: false,
    paused: null,
    outcome: null,
    fault: null,
    endedAt: null,
    resumedAt: 0,
    continuedFull: false,
    recoveries: 0,
    notices: [],
  };
}

function newStep(event: Extract<AgentEvent, { type: "StepStart" }>, at: number): StepLog {
  return {
    id: event.step,
    index: event.index,
    attempt: event.attempt,
    state: "streaming",
    text: "",
    reasoning: "",
    calls: [],
    finish: null,
    usage: null,
    costUsd: null,
    estimate: null,
    startedAt: at,
    cut: null,
    retry: null,
    providerData: null,
  };
}

function newCall(event: Extract<AgentEvent, { type: "ToolRequested" }>): CallLog {
  return {
    id: event.call,
    step: event.step,
    providerCall: event.providerCall,
    tool: event.tool,
    argsText: event.argsText,
    args: parseArgs(event.argsText),
    readOnly: event.readOnly,
    path: event.path,
    key: event.call,
    written: null,
    state: "requested",
    sent: false,
    journal: null,
    startedAt: null,
    endedAt: null,
    progress: null,
    output: "",
    outputSkippedBytes: 0,
    outputCut: 0,
    asked: null,
    answer: null,
    isPartly: false,
    question: null,
    result: null,
    providerData: event.providerData ?? null,
  };
}

function inTurn(log: SessionLog, id: string, change: (turn: TurnLog) => TurnLog): SessionLog {
  const place = log.turns.findLastIndex((turn) => turn.id === id);
  const turn = log.turns[place];
  if (turn === undefined) return log;
  const changed = change(turn);
  return changed === turn ? log : { ...log, turns: replaced(log.turns, place, changed) };
}

function inStep(log: SessionLog, id: string, change: (step: StepLog) => StepLog): SessionLog {
  for (let place = log.turns.length - 1; place >= 0; place -= 1) {
    const turn = log.turns[place];
    const at = turn?.steps.findLastIndex((step) => step.id === id) ?? -1;
    const step = turn?.steps[at];
    if (turn === undefined || step === undefined) continue;
    const changed = change(step);
    if (changed === step) return log;
    return { ...log, turns: replaced(log.turns, place, { ...turn, steps: replaced(turn.steps, at, changed) }) };
  }
  return log;
}

function inCall(log: SessionLog, id: string, change: (call: CallLog) => CallLog): SessionLog {
  const call = findCall(log, id);
  if (call === undefined) return log;
  return inStep(log, call.step, (step) => {
    const changed = change(call);
    if (changed === call) return step;
    return { ...step, calls: step.calls.map((candidate) => (candidate.id === id ? changed : candidate)) };
  });
}

/** Something got done: interruptions before it no longer count against the turn. */
function progressed(log: SessionLog): SessionLog {
  const turn = log.turns.at(-1);
  if (turn === undefined || turn.recoveries === 0) return log;
  return { ...log, turns: replaced(log.turns, log.turns.length - 1, { ...turn, recoveries: 0 }) };
}
