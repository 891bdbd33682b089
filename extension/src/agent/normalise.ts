// A log from a file, made whole: what is damaged is left out, every call has its one result, nothing runs on by itself. Pure.
import { decodeImportedEvent } from "../wire/decode-event.ts";
import { isAdmissible } from "./admissible.ts";
import { failureResult } from "./engine-results.ts";
import type { AgentEvent, StoredEvent } from "./events.ts";
import { emptyLog, foldEvent } from "./fold.ts";
import { IMPORTED_FILE } from "./imported-file.ts";
import type { SessionLog } from "./log.ts";
import { activeTurn } from "./step.ts";

export interface Imported {
  readonly events: readonly StoredEvent[];
  /** Entries that were no events, or fitted nowhere. */
  readonly dropped: number;
}

export interface ImportParts {
  readonly session: string;
  readonly now: number;
  readonly newId: () => string;
  /** The name an attachment gets here: a file must not name what is kept for another session. */
  readonly attachment: (named: string) => string;
}

/** Null: it is no log. */
export function normalise(entries: readonly unknown[], { session, now, newId, attachment }: ImportParts): Imported | null {
  const events: StoredEvent[] = [];
  let log = emptyLog(session);
  let dropped = 0;
  const add = (event: AgentEvent, at: number): boolean => {
    if (!isAdmissible(log, event)) return false;
    const stored: StoredEvent = { session, seq: log.seq + 1, id: newId(), parent: log.lastEvent, at: Math.min(Math.max(at, log.updatedAt), now), event };
    events.push(stored);
    log = foldEvent(log, stored);
    return true;
  };
  for (const entry of entries) {
    const { event, at } = read(entry);
    if (event === null) {
      dropped += 1;
      continue;
    }
    if (log.seq === 0 && event.type !== "SessionStarted") add({ type: "SessionStarted", config: { ...log.config } }, at);
    // An event that needs an open turn may have lost the end of the one before.
    for (const needed of neededFor(log, event)) add(needed, at);
    if (!add(tamed(event, attachment), at)) dropped += 1;
  }
  if (log.turns.length === 0) return null;
  // A file takes nothing back here.
  if (log.undoing !== null) add({ type: "UndoEnded", undo: log.undoing.undo, state: "given_up" }, log.updatedAt);
  for (const closing of endOf(log)) add(closing, log.updatedAt);
  return { events, dropped };
}

function read(entry: unknown): { readonly event: AgentEvent | null; readonly at: number } {
  if (typeof entry !== "object" || entry === null || !("event" in entry)) return { event: null, at: 0 };
  const at = "at" in entry && typeof entry.at === "number" && Number.isFinite(entry.at) ? entry.at : 0;
  return { event: decodeImportedEvent(entry.event), at };
}

/** A file does not decide what runs without asking here, what the model is told before all else, nor how far a turn goes. */
function tamed(event: AgentEvent, rename: (named: string) => string): AgentEvent {
  if (event.type === "UserMessage" || event.type === "Steered") {
    const attachments = event.attachments?.map((attachment) => ({ ...attachment, id: rename(attachment.id) }));
    const said = { ...event, ...(attachments === undefined ? {} : { attachments }) };
    if (said.type === "Steered") return said;
    // Whether it waited in a queue before it was said, no longer matters.
    const { item: _item, ...message } = said;
    return message;
  }
  if (event.type === "ToolResult" && event.pictures !== undefined) {
    return { ...event, pictures: event.pictures.map((picture) => ({ ...picture, id: rename(picture.id) })) };
  }
  if (event.type === "Seeded") return { ...event, strangers: [...event.strangers, IMPORTED_FILE] };
  if (event.type !== "SessionStarted" && event.type !== "SessionConfigured" && event.type !== "HandedOver" && event.type !== "TurnStart") return event;
  const { workspace, model, mode, thinking, tools } = event.config;
  const config = { workspace, model, mode: mode === "plan" ? ("plan" as const) : ("ask" as const), ...(thinking === undefined ? {} : { thinking }), ...(tools === undefined ? {} : { tools }) };
  return { ...event, config };
}

function neededFor(log: SessionLog, event: AgentEvent): readonly AgentEvent[] {
  if (event.type === "UserMessage") return log.seedStrangers.includes(IMPORTED_FILE) ? endOf(log) : [{ type: "Seeded", messages: [], strangers: [IMPORTED_FILE] }];
  if (event.type === "BranchStart" || event.type === "BranchSelected") return endOf(log);
  // What was said while a turn ran waited first; it waits for no longer than until the next event, which says it.
  if (event.type === "Steered") return activeTurn(log)?.id === event.turn ? [{ type: "QueueAdded", item: event.item, kind: "steer", text: event.text }] : [];
  const last = log.turns.at(-1)?.steps.at(-1);
  if (last?.state !== "sealed") return [];
  if (event.type === "StepEnd") return openResults(log);
  return event.type === "StepStart" || event.type === "TurnEnd" ? openResults(log).concat({ type: "StepEnd", step: last.id }) : [];
}

/** The last turn is closed; what ran is told as unknown. */
function endOf(log: SessionLog): readonly AgentEvent[] {
  const turn = log.turns.at(-1);
  if (turn === undefined || turn.outcome !== null) return [];
  const last = turn.steps.at(-1);
  const isFinal = (last?.state === "sealed" || last?.state === "ended") && last.calls.length === 0;
  return [
    ...openResults(log),
    ...(last?.state === "sealed" ? [{ type: "StepEnd" as const, step: last.id }] : []),
    { type: "TurnEnd", turn: turn.id, outcome: isFinal ? "complete" : "cancelled", fault: null },
  ];
}

function openResults(log: SessionLog): AgentEvent[] {
  const last = log.turns.at(-1)?.steps.at(-1);
  if (last?.state !== "sealed") return [];
  return last.calls
    .filter((call) => call.state !== "settled")
    .flatMap((call): AgentEvent[] => [
      ...(call.question?.status === "active" ? [{ type: "QuestionCancelled" as const, call: call.id }] : []),
      failureResult(call.id, "outcome_unknown", `the log of this session does not say how ${call.tool} ended`, "Look at how things are before going on."),
    ]);
}
