// The engine of one browser profile: sessions taken up, intents carried out, views made. Knows no browser API.
import type { AgentEvent, Decision, Mode, QuestionAnswer, SessionConfig, StoredEvent, ThinkingLevel } from "../agent/events.ts";
import { DEFAULT_CONFIG, findCall, isSealed, type CallLog, type SessionLog } from "../agent/log.ts";
import { answerText, faultOfAnswer } from "../agent/loop-tools/ask-question.ts";
import { cancelledResult, failureResult, outcomeUnknownResult } from "../agent/engine-results.ts";
import { SessionLoop } from "../agent/loop.ts";
import { foldEvents } from "../agent/fold.ts";
import { withProfile } from "../agent/profile.ts";
import { HostUnreachable } from "../host/faults.ts";
import { normalise } from "../agent/normalise.ts";
import { summarise } from "../agent/summary.ts";
import { recover } from "../agent/recover.ts";
import { activeTurn } from "../agent/step.ts";
import type { EngineWorld } from "../agent/world.ts";
import { parseArgs } from "../lib/parse-args.ts";
import type { Plan } from "../wire/plan.ts";
import type { SessionRow, Storage } from "../storage/storage.ts";
import type { ApprovalAnswer } from "./bus.ts";
import { IntentFault } from "./intent-fault.ts";
import { HOST_WAIT_MS } from "../agent/limits.ts";
import { Branches } from "./branches.ts";
import { ChildSessions } from "./child-sessions.ts";
import { Schedules } from "./schedules.ts";
import { inspectPrompt, type InspectedPart } from "./inspect-prompt.ts";
import { Profiles } from "./profiles.ts";
import { Grants } from "./grants.ts";
import type { RuleBook } from "./rule-book.ts";
import { readLimits } from "./read-limits.ts";
import { requireText } from "./require-text.ts";
import { SessionQueue } from "./session-queue.ts";

export interface EngineOptions {
  readonly storage: Storage;
  readonly world: EngineWorld;
  /** Loaded by `start`; the world gives its rules. */
  readonly book: RuleBook;
  /** Wakes the background at a time; null takes the alarm back. Left out: nothing wakes it. */
  readonly setAlarm?: (at: number | null) => void;
  /** Null: another context of this browser is the writer of this session. */
  readonly lock: (session: string) => Promise<(() => void) | null>;
  /** New events of a session, after they were stored. */
  readonly onEvents: (session: string, events: readonly StoredEvent[]) => void;
  /** The list of sessions changed. */
  readonly onSessions: () => void;
}

export class Engine {
  readonly #options: EngineOptions;
  readonly #loops = new Map<string, Promise<{ readonly loop: SessionLoop; readonly unlock: () => void }>>();
  readonly queue: SessionQueue;
  readonly branches: Branches;
  readonly children: ChildSessions;
  readonly schedules: Schedules;
  readonly profiles: Profiles;
  readonly grants: Grants;
  readonly #book: RuleBook;
  #config: SessionConfig = DEFAULT_CONFIG;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#book = options.book;
    this.profiles = new Profiles(options.storage);
    this.grants = new Grants({ loop: (session) => this.#existing(session), book: options.book, newId: () => options.world.newId(), now: () => options.world.now() });
    this.children = new ChildSessions({ storage: options.storage, loop: (session) => this.#take(session), newId: () => options.world.newId() });
    this.schedules = new Schedules({ storage: options.storage, children: this.children, now: () => options.world.now(), setAlarm: options.setAlarm ?? (() => {}), onChange: options.onSessions });
    this.branches = new Branches({ loop: (session) => this.#existing(session), newId: () => options.world.newId(), host: () => options.world.hostReady(HOST_WAIT_MS), abandon });
    this.queue = new SessionQueue({ loop: (session) => this.#existing(session), newId: () => options.world.newId(), abandon });
  }

  /** What a new session begins with. */
  get defaults(): SessionConfig {
    return this.#config;
  }

  /** The one way back to work after a start: whatever is not idle goes on. */
  async start(): Promise<void> {
    await this.#book.load();
    this.#config = readConfig(await this.#options.storage.readSetting("defaults"));
    for (const row of await this.#options.storage.listSessions()) {
      if (row.status !== "running" && row.status !== "needs_you") continue;
      const loop = await this.#take(row.id).catch(() => null);
      loop?.pump();
    }
    await this.schedules.load();
  }

  /** Something outside changed (the host's connection): what was waiting for it may be due. */
  async pump(): Promise<void> {
    for (const entry of this.#loops.values()) (await entry.catch(() => null))?.loop.pump();
  }

  sessions(): Promise<readonly SessionRow[]> {
    return this.#options.storage.listSessions();
  }

  async startSession(text: string, config: Partial<SessionConfig> = {}): Promise<string> {
    requireText(text);
    const session = this.#options.world.newId();
    const loop = await this.#take(session);
    await loop.append({ type: "SessionStarted", config: { ...this.#config, ...config } }, this.#message(text));
    return session;
  }

  async sendMessage(session: string, text: string): Promise<void> {
    requireText(text);
    const loop = await this.#existing(session);
    const active = activeTurn(loop.log);
    if (active !== undefined && active.paused === null) {
      throw new IntentFault({ code: "busy", message: "A turn is running in this session.", hint: "Queue the message, or press Stop first.", retryable: true });
    }
    await loop.appendIf((log) => [...abandon(log), this.#message(text)]);
  }

  async stop(session: string): Promise<void> {
    const loop = await this.#existing(session);
    await loop.appendIf((log) => {
      const turn = activeTurn(log);
      return turn === undefined ? null : [{ type: "StopRequested", turn: turn.id }];
    });
  }

  async answerApproval(session: string, answers: readonly ApprovalAnswer[]): Promise<void> {
    const loop = await this.#existing(session);
    for (const { call, decision, remember } of answers) {
      // The rule first: an answer that says "always" and is not remembered would be a lie.
      if (remember !== undefined) await this.grants.addRule(session, { effect: decision === "allow" ? "allow" : "deny", ...remember }, call);
    }
    let changed: string | null = null;
    await loop.appendIf((log) => {
      const calls = log.turns.at(-1)?.steps.filter(isSealed).flatMap((step) => step.calls) ?? [];
      return answers.flatMap((answer): AgentEvent[] => {
        const call = calls.find((candidate) => candidate.id === answer.call);
        // Bound to what was on screen: the plan itself, or a fresh one that does exactly the same.
        if (call?.state !== "asked" || call.asked?.plan.digest !== answer.digest || !areHunksOf(call.asked.plan, answer.hunks)) {
          changed = answer.call;
          return [];
        }
        return [
          {
            type: "ApprovalAnswered",
            call: answer.call,
            plan: call.asked.plan.id,
            digest: answer.digest,
            decision: answer.hunks?.length === 0 ? "deny" : readDecision(answer.decision),
            note: answer.note === undefined || answer.note.trim() === "" ? null : answer.note,
            hunks: answer.hunks ?? null,
            by: "user",
          },
        ];
      });
    });
    if (changed !== null) throw planChanged();
  }

  /** The person's answer to `ask_question`; it is the call's result. */
  async answerQuestion(session: string, call: string, answer: QuestionAnswer): Promise<void> {
    await this.#settleQuestion(session, call, (known) => {
      const fault = faultOfAnswer(known.question, answer);
      if (fault !== null) throw new IntentFault({ code: "bad_answer", message: `This cannot be sent: ${fault}.`, hint: "Correct it; nothing was sent.", retryable: true });
      const text = answerText({ ...known, answer });
      return [
        { type: "QuestionAnswered", call, answer },
        { type: "ToolResult", call, isError: false, text, structured: { ok: true, data: answer }, origin: "engine", replayed: false, durationMs: null },
      ];
    });
  }

  /** The person does not want to answer; the model goes on without. */
  async cancelQuestion(session: string, call: string): Promise<void> {
    await this.#settleQuestion(session, call, () => [{ type: "QuestionCancelled", call }, failureResult(call, "cancelled", "the user did not want to answer", "Go on with what you know, or end.")]);
  }

  async #settleQuestion(session: string, call: string, make: (known: NonNullable<CallLog["question"]>) => readonly AgentEvent[]): Promise<void> {
    const loop = await this.#existing(session);
    const known = findCall(loop.log, call)?.question;
    if (known?.status !== "active") throw new IntentFault({ code: "no_question", message: "This question does not wait any more.", hint: null, retryable: false });
    await loop.append(...make(known));
  }

  /** Changes what the model wrote, before it is answered; a new plan follows, and the model is told. */
  async editArgs(session: string, call: string, plan: string, argsText: string): Promise<void> {
    const loop = await this.#existing(session);
    if (parseArgs(argsText) === null) {
      throw new IntentFault({ code: "invalid_args", message: "These arguments are no JSON object.", hint: "Correct them; the card is still as it was.", retryable: true });
    }
    let changed = false;
    await loop.appendIf((log) => {
      const known = findCall(log, call);
      changed = known?.state !== "asked" || known.asked?.plan.id !== plan;
      return changed ? null : [{ type: "ArgsEdited", call, key: this.#options.world.newId(), argsText }];
    });
    if (changed) throw planChanged();
  }

  /** Retry, Continue and Retry now: go on from the last whole step. */
  async resume(session: string): Promise<void> {
    const loop = await this.#existing(session);
    loop.hurry();
    await loop.appendIf((log) => {
      const turn = log.turns.at(-1);
      const canResume = turn !== undefined && (turn.paused !== null || turn.outcome === "failed" || turn.outcome === "cancelled");
      return canResume ? [{ type: "TurnResumed", turn: turn.id, by: "user" }] : null;
    });
    loop.pump();
  }

  /** Changes the session, and what the next new one begins with. */
  async configure(session: string | null, change: Partial<SessionConfig>): Promise<void> {
    this.#config = { ...this.#config, ...change };
    await this.#options.storage.saveSetting("defaults", this.#config);
    if (session === null) return;
    const loop = await this.#existing(session);
    await loop.appendIf((log) => [{ type: "SessionConfigured", config: { ...log.config, ...change } }]);
  }

  /** Makes room in the window now, or at the next step boundary. */
  async compact(session: string): Promise<void> {
    const loop = await this.#existing(session);
    await loop.append({ type: "CompactRequested", compaction: this.#options.world.newId() });
  }

  async undoCompaction(session: string, compaction: string): Promise<void> {
    await (await this.#existing(session)).append({ type: "CompactionUndone", compaction });
  }

  async pin(session: string, turn: string, pinned: boolean): Promise<void> {
    await (await this.#existing(session)).append({ type: "TurnPinned", turn, pinned });
  }

  /** The session goes on with this profile from its next turn; null: new ones begin with it. */
  async selectProfile(session: string | null, id: string): Promise<void> {
    const profile = await this.profiles.find(id);
    const before = session === null ? this.#config : (await this.#existing(session)).log.config;
    const config = withProfile(before, profile);
    if (session !== null) return (await this.#existing(session)).append({ type: "SessionConfigured", config });
    this.#config = config;
    await this.#options.storage.saveSetting("defaults", config);
  }

  async inspectPrompt(session: string): Promise<readonly InspectedPart[]> {
    const loop = await this.#existing(session);
    try {
      return await inspectPrompt(loop.log, await this.#options.world.hostReady(HOST_WAIT_MS), this.#book.list());
    } catch (error) {
      if (error instanceof HostUnreachable) throw new IntentFault({ ...error.fault, retryable: true });
      throw error;
    }
  }

  async rename(session: string, title: string): Promise<void> {
    requireText(title);
    const loop = await this.#existing(session);
    await loop.append({ type: "TitleSet", title: title.trim(), by: "user" });
  }

  async deleteSession(session: string): Promise<void> {
    const loop = await this.#existing(session);
    if (activeTurn(loop.log) !== undefined) {
      await this.stop(session);
      await loop.until((log) => activeTurn(log) === undefined, 5_000);
    }
    const entry = await this.#loops.get(session)?.catch(() => null);
    this.#loops.delete(session);
    loop.close();
    entry?.unlock();
    // What belongs to it goes with it, but not what a person forked from it.
    for (const child of await this.children.of(session)) {
      if (child.origin?.kind === "subagent" || child.origin?.kind === "side") await this.deleteSession(child.id);
    }
    await this.#options.storage.deleteSession(session);
    this.#options.onSessions();
  }

  /** The log as it is stored. Keys are not in it, because they are nowhere in a log. */
  async exportSession(session: string): Promise<string> {
    const events = await this.#options.storage.readEvents(session, 0);
    return JSON.stringify({ format: "outrigger-session", version: 1, session, events }, null, 2);
  }

  /** A session from a file: made whole, closed, and with no rights of its own. */
  async importSession(json: string): Promise<{ readonly session: string; readonly dropped: number }> {
    const session = this.#options.world.newId();
    const imported = normalise(readEntries(json), { session, now: this.#options.world.now(), newId: () => this.#options.world.newId() });
    if (imported === null) throw notOurs();
    await this.#options.storage.append(imported.events, summarise(foldEvents(session, imported.events)), true);
    this.#options.onSessions();
    return { session, dropped: imported.dropped };
  }

  readEvents(session: string, after: number): Promise<readonly StoredEvent[]> {
    return this.#options.storage.readEvents(session, after);
  }

  #message(text: string): AgentEvent {
    return { type: "UserMessage", message: this.#options.world.newId(), text };
  }

  async #existing(session: string): Promise<SessionLoop> {
    const loop = await this.#take(session);
    if (loop.log.seq === 0) {
      await this.#letGo(session);
      throw new IntentFault({ code: "no_session", message: "This session does not exist any more.", hint: "Choose another one.", retryable: false });
    }
    return loop;
  }

  async #take(session: string): Promise<SessionLoop> {
    let entry = this.#loops.get(session);
    if (entry === undefined) {
      entry = this.#load(session);
      this.#loops.set(session, entry);
      entry.catch(() => this.#loops.delete(session));
    }
    const { loop } = await entry;
    if (!loop.closed) return loop;
    await this.#letGo(session);
    return this.#take(session);
  }

  async #load(session: string) {
    const unlock = await this.#options.lock(session);
    if (unlock === null) {
      throw new IntentFault({ code: "locked", message: "Another window's engine works on this session.", hint: "Close it there first.", retryable: true });
    }
    try {
      const loop = await SessionLoop.load(session, this.#options.storage, this.#options.world, (events) => {
        this.#options.onEvents(session, events);
        if (events.some(({ event }) => CHANGES_LIST.has(event.type))) this.#options.onSessions();
      });
      await loop.append(...recover(loop.log, this.#options.world.now()));
      return { loop, unlock };
    } catch (error) {
      unlock();
      throw error;
    }
  }

  async #letGo(session: string): Promise<void> {
    const entry = await this.#loops.get(session)?.catch(() => null);
    this.#loops.delete(session);
    entry?.loop.close();
    entry?.unlock();
  }
}

/** Events after which a row of the list reads differently. */
const CHANGES_LIST: ReadonlySet<AgentEvent["type"]> = new Set([
  "SessionStarted",
  "SessionConfigured",
  "TitleSet",
  "UserMessage",
  "QueueAdded",
  "QueueRemoved",
  "Steered",
  "BranchStart",
  "BranchSelected",
  "TurnPaused",
  "TurnResumed",
  "StopRequested",
  "TurnEnd",
  "ApprovalAsked",
  "ApprovalAnswered",
  "QuestionAsked",
  "ToolResult",
]);

/** A new message after a failed turn: what that turn still owed is settled first, so that every call has its one result. */
function abandon(log: SessionLog): readonly AgentEvent[] {
  const last = log.turns.at(-1);
  if (last === undefined) return [];
  const step = last.steps.at(-1);
  const open = step?.state === "sealed" ? step.calls.filter((call) => call.state !== "settled") : [];
  return [
    ...open.map((call) => (call.sent && !call.readOnly ? outcomeUnknownResult(call) : cancelledResult(call))),
    ...(step?.state === "sealed" ? [{ type: "StepEnd" as const, step: step.id }] : []),
    ...(last.outcome === null ? [{ type: "TurnEnd" as const, turn: last.id, outcome: "cancelled" as const, fault: null }] : []),
  ];
}

function readEntries(json: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === "object" && value !== null && "events" in value && Array.isArray(value.events)) return value.events;
  } catch {
    // Told below.
  }
  throw notOurs();
}

function notOurs(): IntentFault {
  return new IntentFault({ code: "no_session_file", message: "This file holds no session of Outrigger.", hint: "Choose a file that was exported as JSON.", retryable: false });
}

function planChanged(): IntentFault {
  return new IntentFault({
    code: "plan_changed",
    message: "This card is no longer what it was when you answered.",
    hint: "Look at it again; nothing was done.",
    retryable: true,
  });
}

/** Parts that the plan does not have were shown by something else. */
function areHunksOf(plan: Plan, hunks: readonly string[] | undefined): boolean {
  if (hunks === undefined) return true;
  const known = plan.preview.kind === "files" ? plan.preview.files.flatMap((file) => file.hunks.map(({ id }) => id)) : [];
  return hunks.every((hunk) => known.includes(hunk));
}

/** Doubt means deny. */
function readDecision(decision: unknown): Decision {
  return decision === "allow" ? "allow" : "deny";
}

function readConfig(value: unknown): SessionConfig {
  if (typeof value !== "object" || value === null) return DEFAULT_CONFIG;
  const { workspace, model, mode, limits, profile, instructions, tools, thinking } = value as Partial<Record<keyof SessionConfig, unknown>>;
  return {
    ...(limits === undefined ? {} : { limits: readLimits(limits) }),
    ...(typeof profile === "string" ? { profile } : {}),
    ...(typeof instructions === "string" ? { instructions } : {}),
    ...(Array.isArray(tools) ? { tools: tools.filter((tool) => typeof tool === "string") } : {}),
    ...(isThinking(thinking) ? { thinking } : {}),
    workspace: typeof workspace === "string" ? workspace : DEFAULT_CONFIG.workspace,
    model: typeof model === "string" ? model : DEFAULT_CONFIG.model,
    mode: isMode(mode) ? mode : DEFAULT_CONFIG.mode,
  };
}

function isThinking(value: unknown): value is ThinkingLevel {
  return value === "none" || value === "low" || value === "medium" || value === "high";
}

function isMode(value: unknown): value is Mode {
  return value === "plan" || value === "ask" || value === "accept_edits";
}
