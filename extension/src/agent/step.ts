// The engine's whole judgement, pure: `(state, event) → (state, effects)`.
//
// Effects are what is due in a state, not what an event triggers: a log that was cut at any place and folded again
// owes the same effects, so recovery, Retry and an ordinary step are one path. The driver runs each effect once, by its key.
import type { AgentEvent, Fault, StoredEvent } from "./events.ts";
import { foldEvent } from "./fold.ts";
import type { Attachment } from "../wire/attachment.ts";
import type { CallLog, SessionLog, StepLog, TurnLog } from "./log.ts";
import { limitsOf, pauseOf, timeoutOf } from "./caps.ts";
import { roomOf, type Cut } from "./compaction.ts";
import { dueNotes, type DueNote } from "./hooks/catalog.ts";
import { BILLED_RETRIES, LONGEST_RETRY_AFTER_MS, MAX_RECOVERIES } from "./limits.ts";
import { outcomeOf } from "./outcome.ts";
import { cancelledResult, invalidArgsResult, unansweredResult } from "./engine-results.ts";

export type Effect =
  /** Nothing to do in the world; only to be written down. */
  | { readonly kind: "append"; readonly key: string; readonly events: readonly AgentEvent[] }
  | { readonly kind: "begin_turn"; readonly key: string; readonly turn: TurnLog }
  | { readonly kind: "call_model"; readonly key: string; readonly turn: TurnLog; readonly step: StepLog }
  | { readonly kind: "stop_model"; readonly key: string; readonly step: StepLog }
  | { readonly kind: "schedule_retry"; readonly key: string; readonly turn: TurnLog; readonly step: StepLog; readonly attempt: number; readonly fault: Fault; readonly retryAfterMs: number | null }
  | { readonly kind: "retry_at"; readonly key: string; readonly at: number; readonly event: AgentEvent }
  /** A person's time is over at this moment. */
  | { readonly kind: "give_up_at"; readonly key: string; readonly at: number; readonly events: readonly AgentEvent[] }
  | { readonly kind: "call_tool"; readonly key: string; readonly turn: TurnLog; readonly call: CallLog }
  /** A person is needed. The driver keeps the plan fresh. */
  | { readonly kind: "ask"; readonly key: string; readonly turn: TurnLog; readonly call: CallLog }
  /** Make room: the model is asked for a summary of what lies before the cut. */
  | { readonly kind: "compact"; readonly key: string; readonly compaction: string | null; readonly cut: Cut; readonly by: "user" | "engine" }
  | { readonly kind: "settle_stopped"; readonly key: string; readonly turn: TurnLog; readonly call: CallLog };

export interface Stepped {
  readonly state: SessionLog;
  readonly effects: readonly Effect[];
}

export function step(state: SessionLog, event: StoredEvent): Stepped {
  const next = foldEvent(state, event);
  return { state: next, effects: due(next) };
}

/** What is owed in this state. Empty: the session is idle, or only waits for a person. */
export function due(log: SessionLog): readonly Effect[] {
  const turn = activeTurn(log);
  if (turn === undefined) return dueWhenIdle(log);
  if (turn.stopping) return dueWhenStopping(turn);
  if (turn.paused !== null) return [];
  if (!turn.begun) return [{ kind: "begin_turn", key: `begin:${turn.id}`, turn }];
  if (turn.recoveries > MAX_RECOVERIES) return [endTurn(turn, "failed", RECOVERY_FAILED)];
  const last = turn.steps.at(-1);
  if (last === undefined) return [sayNotes(turn, dueNotes(log, turn)) ?? (log.turns.length > 1 ? dueRoom(log, turn) : null) ?? startStep(turn, 0, 1)];
  switch (last.state) {
    case "streaming":
      return [{ kind: "call_model", key: `model:${last.id}`, turn, step: last }];
    case "cut":
      return [dueAfterCut(log, turn, last)];
    case "waiting_to_retry":
      return [
        {
          kind: "retry_at",
          key: `retry:${last.id}`,
          at: last.retry?.at ?? 0,
          event: stepStart(turn, last.index, last.attempt + 1),
        },
      ];
    case "sealed":
      return last.calls.every(isSettled) ? [append(`end:${last.id}`, { type: "StepEnd", step: last.id })] : dueCalls(turn, last);
    case "ended":
      return [dueAfterStep(log, turn, last)];
  }
}

/** A follow-up goes on by itself only after a turn that was completed: who stopped one, saw it fail or turned elsewhere, decides what comes next. */
function dueWhenIdle(log: SessionLog): readonly Effect[] {
  const last = log.turns.at(-1);
  if (log.compactRequested !== null && last !== undefined) {
    const room = roomOf(log);
    if (room.kind === "compact") return [{ kind: "compact", key: `compact:${log.compactRequested}`, compaction: log.compactRequested, cut: room.cut, by: "user" }];
    return [append(`compact:${log.compactRequested}`, { type: "CompactFailed", compaction: log.compactRequested, fault: NOTHING_TO_COMPACT })];
  }
  const next = log.queue[0];
  if (next === undefined || log.isQueueHeld || log.turns.at(-1)?.outcome !== "complete") return [];
  return [append(`deliver:${next.id}`, { type: "UserMessage", message: next.id, text: next.text, item: next.id, ...withAttachments(next.attachments) })];
}

/** The turn that is not over; the log has at most one. */
export function activeTurn(log: SessionLog): TurnLog | undefined {
  const last = log.turns.at(-1);
  return last !== undefined && last.outcome === null ? last : undefined;
}

/** Stop was pressed: nothing more is begun. */
export function isStopping(log: SessionLog): boolean {
  return activeTurn(log)?.stopping === true;
}

/** A turn goes on by itself, or waits with a card: it must be stopped before anything else is begun. */
export function isAtWork(log: SessionLog): boolean {
  return activeTurn(log)?.paused === null;
}

function dueAfterStep(log: SessionLog, turn: TurnLog, last: StepLog): Effect {
  const steers = log.queue.filter((item) => item.kind === "steer");
  if (steers.length > 0) {
    const events = steers.map((item): AgentEvent => ({ type: "Steered", turn: turn.id, item: item.id, text: item.text, ...withAttachments(item.attachments) }));
    return { kind: "append", key: `steer:${steers.map((item) => item.id).join()}`, events };
  }
  const outcome = outcomeOf(log, turn, last);
  if (outcome.kind === "await_user") return endTurn(turn, outcome.fault === null ? "complete" : "failed", outcome.fault);
  const resumed = turn.resumedAt === turn.steps.length;
  const pause = resumed ? null : pauseOf(turn);
  if (pause !== null) return append(`pause:${turn.id}:${turn.steps.length}`, { type: "TurnPaused", turn: turn.id, ...pause });
  return sayNotes(turn, outcome.notes) ?? dueRoom(log, turn) ?? startStep(turn, last.index + 1, 1);
}

/** Null: no hook has a word. */
function sayNotes(turn: TurnLog, notes: readonly DueNote[]): Effect | null {
  if (notes.length === 0) return null;
  const events = notes.map((note): AgentEvent => ({ type: "HookNoted", turn: turn.id, ...note }));
  return { kind: "append", key: `notes:${turn.id}:${notes.map(({ key }) => key).join()}`, events };
}

/** Null: there is room. */
function dueRoom(log: SessionLog, turn: TurnLog): Effect | null {
  const room = roomOf(log);
  if (room.kind === "compact") return { kind: "compact", key: `compact:${log.compactRequested ?? `${log.compactions.length}:${turn.steps.length}`}`, compaction: log.compactRequested, cut: room.cut, by: room.by };
  if (room.kind === "stuck") return append(`pause:${turn.id}:${turn.steps.length}`, { type: "TurnPaused", turn: turn.id, reason: "context_full", message: room.message });
  return null;
}

function dueAfterCut(log: SessionLog, turn: TurnLog, last: StepLog): Effect {
  const cut = last.cut;
  // The person had room made before Retry, or too long a prompt was what failed: the same one would fail again.
  if (turn.resumedAt === turn.steps.length || cut === null) return dueRoom(log, turn) ?? startStep(turn, last.index, last.attempt + 1);
  if (!cut.fault.retryable) return endTurn(turn, "failed", cut.fault);
  if ((cut.retryAfterMs ?? 0) > LONGEST_RETRY_AFTER_MS) return endTurn(turn, "failed", tooLong(cut.fault, cut.retryAfterMs ?? 0));
  const row = trailingCuts(turn);
  const billed = row.filter(isBilled).length;
  if (billed > BILLED_RETRIES || row.length - billed > limitsOf(turn).retries) return endTurn(turn, "failed", cut.fault);
  return {
    kind: "schedule_retry",
    key: `schedule:${last.id}`,
    turn,
    step: last,
    attempt: row.length,
    fault: cut.fault,
    retryAfterMs: cut.fault.code === "interrupted" ? 0 : cut.retryAfterMs,
  };
}

/** The unbroken row of cut steps at the end, since the last Retry by hand. */
function trailingCuts(turn: TurnLog): readonly StepLog[] {
  const recent = turn.steps.slice(turn.resumedAt);
  const lastWhole = recent.findLastIndex((each) => each.state !== "cut");
  return recent.slice(lastWhole + 1);
}

/** The provider had begun to answer, or may have: asking again costs again. */
function isBilled({ text, reasoning, calls, cut }: StepLog): boolean {
  return text !== "" || reasoning !== "" || calls.length > 0 || cut?.fault.code === "interrupted";
}

/**
 * The order of a step's calls. Reads run together. A write waits for the reads before it, and for the writes before it
 * unless each is confined to another path: those are planned at the same time, and become one card.
 */
function dueCalls(turn: TurnLog, sealed: StepLog): readonly Effect[] {
  const effects: Effect[] = [];
  let writing = false;
  for (const [place, call] of sealed.calls.entries()) {
    if (isSettled(call)) continue;
    const open = sealed.calls.slice(0, place).filter((earlier) => !isSettled(earlier));
    if (open.some((earlier) => mustWaitFor(call, earlier))) continue;
    if (call.args === null) {
      effects.push(append(`result:${call.id}`, invalidArgsResult(call)));
    } else if (call.state === "questioned") {
      // The person's answer is its result; there is nothing to do until then, or until the time is over that they set.
      const timeoutMs = timeoutOf(turn, call.tool);
      if (timeoutMs !== null) effects.push({ kind: "give_up_at", key: `late:${call.id}`, at: (call.question?.at ?? 0) + timeoutMs, events: [{ type: "QuestionFailed", call: call.id }, unansweredResult(call, timeoutMs)] });
    } else if (call.state === "asked") {
      effects.push({ kind: "ask", key: `ask:${call.id}`, turn, call });
    } else if (call.state === "answered" && !call.readOnly) {
      // Answered writes are carried out one after the other, in the model's order.
      if (!writing) effects.push({ kind: "call_tool", key: `tool:${call.id}`, turn, call });
      writing = true;
    } else {
      effects.push({ kind: "call_tool", key: `tool:${call.id}`, turn, call });
    }
  }
  return effects;
}

function mustWaitFor(call: CallLog, earlier: CallLog): boolean {
  if (call.readOnly) return !earlier.readOnly;
  if (earlier.readOnly) return true;
  return call.path === null || earlier.path === null || pathsMeet(call.path, earlier.path);
}

/** One is the other, or lies below it. Case is folded: on some systems the two are one file. */
export function pathsMeet(left: string, right: string): boolean {
  const one = normalise(left);
  const other = normalise(right);
  return one === other || one === "" || other === "" || one.startsWith(`${other}/`) || other.startsWith(`${one}/`);
}

function normalise(path: string): string {
  const parts: string[] = [];
  for (const part of path.normalize("NFC").toLowerCase().split(/[/\\]+/)) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts.join("/");
}

function dueWhenStopping(turn: TurnLog): readonly Effect[] {
  const last = turn.steps.at(-1);
  if (last?.state === "streaming") return [{ kind: "stop_model", key: `stop:${last.id}`, step: last }];
  if (last?.state !== "sealed") return [endTurn(turn, "cancelled", null)];
  const open = last.calls.filter((call) => !isSettled(call));
  if (open.length === 0) return [append(`end:${last.id}`, { type: "StepEnd", step: last.id })];
  return open.map((call): Effect =>
    call.state === "questioned"
      ? { kind: "append", key: `result:${call.id}`, events: [{ type: "QuestionCancelled", call: call.id }, cancelledResult(call)] }
      : call.state === "requested" || call.state === "asked"
      ? append(`result:${call.id}`, cancelledResult(call))
      : { kind: "settle_stopped", key: `settle:${call.id}`, turn, call },
  );
}

function isSettled(call: CallLog): boolean {
  return call.state === "settled";
}

function startStep(turn: TurnLog, index: number, attempt: number): Effect {
  return append(`step:${turn.id}:${turn.steps.length}`, stepStart(turn, index, attempt));
}

function stepStart(turn: TurnLog, index: number, attempt: number): AgentEvent {
  return { type: "StepStart", turn: turn.id, step: `${turn.id}.${turn.steps.length + 1}`, index, attempt };
}

function endTurn(turn: TurnLog, outcome: "complete" | "cancelled" | "failed", fault: Fault | null): Effect {
  return append(`turn_end:${turn.id}:${turn.resumedAt}`, { type: "TurnEnd", turn: turn.id, outcome, fault });
}

function append(key: string, event: AgentEvent): Effect {
  return { kind: "append", key, events: [event] };
}

/** Left out where there are none. */
export function withAttachments(attachments: readonly Attachment[]): { readonly attachments?: readonly Attachment[] } {
  return attachments.length === 0 ? {} : { attachments };
}

/** In hours, rounded up: who asks for a day does not count minutes. */
function tooLong(fault: Fault, waitMs: number): Fault {
  const hours = Math.ceil(waitMs / 3_600_000);
  return { ...fault, message: `${fault.message} It asks to wait ${hours} hours.`, hint: "Press Retry after that time, or choose another model." };
}

const NOTHING_TO_COMPACT: Fault = { code: "nothing_to_compact", message: "There is nothing to summarise yet.", hint: null, retryable: false };

const RECOVERY_FAILED: Fault = {
  code: "recovery_failed",
  message: "This turn was interrupted several times in a row.",
  hint: "Nothing more is tried by itself. Press Retry to go on where it stopped.",
  retryable: true,
};
