// What the loop needs from outside: the host, the models, a clock. The background gives the real ones, a test its own.
import type { CallOutcome, OutputNotification, WireCallState, WireCancel, WirePolicy, WireTool, WireTurn, WireTurnDiff, WireUndone } from "../wire/decode.ts";
import type { WireJob } from "../wire/jobs.ts";
import type { ToolCallRequest, UndoOptions } from "../host/host-client.ts";
import type { Model } from "../llm/model.ts";
import type { ModelFacts } from "../llm/model-facts.ts";
import type { SessionConfig, SessionOrigin } from "./events.ts";
import type { Profile } from "./profile.ts";
import type { ActiveHours, Timing } from "./timing.ts";
import type { Trace } from "./trace.ts";
import type { Attachment, AttachmentContent } from "../wire/attachment.ts";
import type { Rule } from "../wire/rule.ts";

/** The part of a connected host that the loop uses. */
export interface ToolHost {
  /** Changes with the host's process. */
  readonly instance: string;
  /** What it can do beside the protocol's first words. */
  readonly features: readonly string[];
  listTools(): Promise<readonly WireTool[]>;
  callTool(request: ToolCallRequest): Promise<CallOutcome>;
  getCall(call: string): Promise<WireCallState>;
  cancelCall(call: string): Promise<WireCancel>;
  listJobs(since: Readonly<Record<string, number>>): Promise<readonly WireJob[]>;
  undoTurn(direction: "undo" | "redo", turn: string, options: UndoOptions): Promise<WireUndone>;
  listTurns(session: string): Promise<readonly WireTurn[]>;
  turnDiff(turn: string): Promise<WireTurnDiff>;
  watchOutput(call: string, listener: (output: OutputNotification) => void): () => void;
  policy(): Promise<WirePolicy>;
  workspace(id: string | null): Promise<{ readonly id: string; readonly path: string } | null>;
}

/** Summaries of a conversation, questions beside it, and parts of its task. */
export type HelperTask = "summary" | "side" | "agent";

export interface NamedModel {
  readonly id: string;
  readonly label: string;
}

export interface EngineWorld {
  /** The connected host now, or null. */
  host(): ToolHost | null;
  /** Waits for it; rejects with a `HostUnreachable`. */
  hostReady(timeoutMs: number): Promise<ToolHost>;
  /** Keeps the background awake until the returned function is called. */
  hold(reason: "turn" | "approval"): () => void;
  /** Rejects with a `ModelFault`. */
  model(id: string): Promise<Model>;
  modelLabel(id: string): Promise<string>;
  modelFacts(id: string): Promise<ModelFacts>;
  /** What its provider counts for one token of our estimate, as far as that is known. */
  tokenFactor(id: string): Promise<number | null>;
  /** Those that a person can choose. */
  models(): Promise<readonly NamedModel[]>;
  /** The model that the person chose for what is done beside a conversation; null: the conversation's own. */
  helperModel(task: HelperTask): Promise<string | null>;
  trace(trace: Trace): void;
  /** Ids of the folders whose files strangers wrote. */
  strangerWorkspaces(): readonly string[];
  /** The rules of this browser. */
  rules(): readonly Rule[];
  /** One of them let a call through. */
  ruleUsed(id: string): void;
  readonly agents: ChildAgents;
  readonly schedules: ScheduleKeeper;
  readonly profiles: ProfileKeeper;
  /** What a person attached; null: it is not there any more. */
  attachment(id: string): Promise<AttachmentContent | null>;
  /** Keeps pictures of a tool's result (base64) with a session; what is none is left out. */
  keepPictures(session: string, name: string, pictures: readonly string[]): Promise<readonly Attachment[]>;
  /** Whether the browser lets us ask this address. */
  isOriginPermitted(address: string): Promise<boolean>;
  /** A page of the web; the address was judged before. */
  fetchPage(url: string, signal: AbortSignal, timeoutMs: number | null): Promise<FetchedPage>;
  now(): number;
  /** From 0 to 1. */
  random(): number;
  /** A ULID. */
  newId(): string;
  /** A session's log could not be written. */
  onBroken(session: string, error: unknown): void;
}

/** Sessions that belong to another one. */
export interface ChildAgents {
  /**
   * Begins it; one that has begun before is left as it is. `strangers`: whose text its task may come from. `rules`: what is denied or
   * asked about where it comes from, and so in it.
   */
  ensure(child: { readonly session: string; readonly origin: SessionOrigin; readonly task: string; readonly config: SessionConfig; readonly strangers?: readonly string[]; readonly rules?: readonly Rule[] }): Promise<void>;
  /** Waits for its turn's end; gives its last words, or why there are none, whose text it had read, and what it cost as far as that is known. */
  ended(session: string, signal: AbortSignal): Promise<{ readonly outcome: "complete" | "cancelled" | "failed"; readonly text: string; readonly strangers: readonly string[]; readonly costUsd: number | null }>;
  stop(session: string): Promise<void>;
}

export interface ScheduleKeeper {
  has(id: string): Promise<boolean>;
  save(draft: { readonly id: string; readonly title: string; readonly task: string; readonly timing: Timing; readonly hours: ActiveHours | null; readonly missed: "run_once" | "skip"; readonly session: string; readonly config: SessionConfig; readonly by: "model" | "user" }): Promise<void>;
  /** The heartbeat of a profile that the session is about to have. */
  beat(session: string, profile: Profile, config: SessionConfig): Promise<void>;
}

export interface ProfileKeeper {
  list(): Promise<readonly Profile[]>;
  save(profile: Profile): Promise<unknown>;
}

export type FetchedPage =
  | { readonly kind: "page"; readonly contentType: string; readonly text: string }
  | { readonly kind: "failed"; readonly code: string; readonly message: string; readonly hint: string | null };
