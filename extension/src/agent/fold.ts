// The log's meaning: events in, the state of a session out. Pure; shared by the engine and the panel.
//
// It never throws on a strange log. An event that does not fit (a second result, a call nobody made) changes nothing,
// so a damaged or imported log is normal again after it was folded: one result per call, the first one.
import type { AgentEvent, Decision, Fault, FinishReason, PauseReason, ProviderData, SessionConfig, StoredEvent, Usage } from "./events.ts";
import { parseArgs } from "../lib/parse-args.ts";
import type { Plan } from "../wire/plan.ts";

export interface SessionLog {
  readonly session: string;
  readonly seq: number;
  readonly lastEvent: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly config: SessionConfig;
  readonly title: string | null;
  readonly turns: readonly TurnLog[];
}

export interface TurnLog {
  /** The id of the message that began it is the id of the turn. */
  readonly id: string;
  readonly text: string;
  readonly at: number;
  readonly begun: boolean;
  readonly config: SessionConfig;
  readonly modelLabel: string;
  readonly steps: readonly StepLog[];
  readonly stopping: boolean;
  readonly paused: { readonly reason: PauseReason; readonly message: string } | null;
  readonly outcome: "complete" | "cancelled" | "failed" | null;
  readonly fault: Fault | null;
  readonly endedAt: number | null;
  /** Steps before this place were made before the last Continue: caps count from here. */
  readonly resumedAt: number;
  /** Interruptions mended since something last got done. */
  readonly recoveries: number;
  readonly notices: readonly string[];
}

export interface StepLog {
  readonly id: string;
  readonly index: number;
  readonly attempt: number;
  readonly state: "streaming" | "cut" | "waiting_to_retry" | "sealed" | "ended";
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly CallLog[];
  readonly finish: FinishReason | null;
  readonly usage: Usage | null;
  readonly startedAt: number;
  readonly cut: { readonly fault: Fault; readonly retryAfterMs: number | null } | null;
  readonly retry: { readonly at: number; readonly attempt: number; readonly fault: Fault } | null;
  readonly providerData: ProviderData | null;
}

export interface CallLog {
  readonly id: string;
  readonly step: string;
  readonly providerCall: string;
  readonly tool: string;
  readonly argsText: string;
  /** Null: no valid JSON object. */
  readonly args: Readonly<Record<string, unknown>> | null;
  readonly readOnly: boolean;
  readonly path: string | null;
  readonly state: "requested" | "started" | "asked" | "answered" | "settled";
  /** It was with the host at least once without being asked about since. */
  readonly sent: boolean;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly progress: { readonly progress: number; readonly total: number | null; readonly message: string | null } | null;
  readonly output: string;
  readonly outputSkippedBytes: number;
  readonly asked: { readonly plan: Plan; readonly requestState: string; readonly instance: string; readonly at: number } | null;
  readonly answer: {
    readonly decision: Decision;
    readonly digest: string;
    readonly note: string | null;
    readonly hunks: readonly string[] | null;
    readonly by: string;
    readonly at: number;
  } | null;
  readonly result: {
    readonly isError: boolean;
    readonly text: string;
    readonly structured: unknown;
    readonly origin: "host" | "engine";
    readonly replayed: boolean;
    readonly durationMs: number | null;
  } | null;
  readonly providerData: ProviderData | null;
}

export const DEFAULT_CONFIG: SessionConfig = { workspace: null, model: "demo", mode: "ask" };

/** A card shows the end of the output; all of it is in the log. More would slow every repaint of a running command. */
const OUTPUT_TAIL = 65_536;

export function emptyLog(session: string): SessionLog {
  return { session, seq: 0, lastEvent: null, createdAt: 0, updatedAt: 0, config: DEFAULT_CONFIG, title: null, turns: [] };
}

export function foldEvent(log: SessionLog, stored: StoredEvent): SessionLog {
  const next = apply(log, stored.event, stored.at);
  return {
    ...next,
    seq: stored.seq,
    lastEvent: stored.id,
    createdAt: log.seq === 0 ? stored.at : log.createdAt,
    updatedAt: stored.at,
  };
}

export function foldEvents(session: string, events: readonly StoredEvent[]): SessionLog {
  return events.reduce(foldEvent, emptyLog(session));
}

/** The turn that is going on, waiting to begin, or the last one; undefined in an empty session. */
export function lastTurn(log: SessionLog): TurnLog | undefined {
  return log.turns.at(-1);
}

export function findCall(log: SessionLog, id: string): CallLog | undefined {
  for (let turn = log.turns.length - 1; turn >= 0; turn -= 1) {
    const steps = log.turns[turn]?.steps ?? [];
    for (let step = steps.length - 1; step >= 0; step -= 1) {
      const call = steps[step]?.calls.find((candidate) => candidate.id === id);
      if (call !== undefined) return call;
    }
  }
  return undefined;
}

/** Sealed by the model's own end: the calls in it count. */
export function isSealed(step: StepLog): boolean {
  return step.state === "sealed" || step.state === "ended";
}

function apply(log: SessionLog, event: AgentEvent, at: number): SessionLog {
  switch (event.type) {
    case "SessionStarted":
    case "SessionConfigured":
      return { ...log, config: event.config };
    case "TitleSet":
      return { ...log, title: event.title };
    case "UserMessage":
      return { ...log, turns: [...log.turns, newTurn(log, event.message, event.text, at)] };
    case "TurnStart":
      return inTurn(log, event.turn, (turn) => ({ ...turn, begun: true, config: event.config, modelLabel: event.modelLabel }));
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
        paused: null,
        stopping: false,
        outcome: null,
        fault: null,
        endedAt: null,
        recoveries: 0,
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
        call.state === "settled" ? call : { ...call, state: call.state === "requested" ? "started" : call.state, sent: true, startedAt: call.startedAt ?? at },
      );
    case "ToolProgress":
      return inCall(log, event.call, (call) => ({ ...call, progress: { progress: event.progress, total: event.total, message: event.message } }));
    case "ToolOutput":
      return inCall(log, event.call, (call) => ({
        ...call,
        output: (call.output + event.text).slice(-OUTPUT_TAIL),
        outputSkippedBytes: Math.max(call.outputSkippedBytes, event.skippedBytes),
      }));
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
    case "ToolResult":
      return progressed(
        inCall(log, event.call, (call) =>
          call.state === "settled"
            ? call
            : {
                ...call,
                state: "settled",
                endedAt: at,
                result: {
                  isError: event.isError,
                  text: event.text,
                  structured: event.structured,
                  origin: event.origin,
                  replayed: event.replayed,
                  durationMs: event.durationMs,
                },
              },
        ),
      );
  }
}

/** Nothing streams or waits any more: what arrived is a draft. */
function settleDraft(step: StepLog): StepLog {
  return step.state === "waiting_to_retry" || step.state === "streaming" ? { ...step, state: "cut", retry: null } : step;
}

function newTurn(log: SessionLog, id: string, text: string, at: number): TurnLog {
  return {
    id,
    text,
    at,
    begun: false,
    config: log.config,
    modelLabel: "",
    steps: [],
    stopping: false,
    paused: null,
    outcome: null,
    fault: null,
    endedAt: null,
    resumedAt: 0,
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
    state: "requested",
    sent: false,
    startedAt: null,
    endedAt: null,
    progress: null,
    output: "",
    outputSkippedBytes: 0,
    asked: null,
    answer: null,
    result: null,
    providerData: event.providerData ?? null,
  };
}

function inTurn(log: SessionLog, id: string, change: (turn: TurnLog) => TurnLog): SessionLog {
  const place = log.turns.findLastIndex((turn) => turn.id === id);
  const turn = log.turns[place];
  if (turn === undefined) return log;
  const changed = change(turn);
  return changed === turn ? log : { ...log, turns: log.turns.with(place, changed) };
}

function inStep(log: SessionLog, id: string, change: (step: StepLog) => StepLog): SessionLog {
  for (let place = log.turns.length - 1; place >= 0; place -= 1) {
    const turn = log.turns[place];
    const at = turn?.steps.findLastIndex((step) => step.id === id) ?? -1;
    const step = turn?.steps[at];
    if (turn === undefined || step === undefined) continue;
    const changed = change(step);
    if (changed === step) return log;
    return { ...log, turns: log.turns.with(place, { ...turn, steps: turn.steps.with(at, changed) }) };
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
  return { ...log, turns: log.turns.with(log.turns.length - 1, { ...turn, recoveries: 0 }) };
}
