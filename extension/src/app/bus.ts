// The typed messages between the panel and the engine, over one `runtime` port.
//
// The panel sends intents and gets an answer to each; the engine pushes views, and the events of subscribed sessions.
// Only a fault in words crosses the port: never a stack, never a key.
import type { Decision, Fault, Mode, QuestionAnswer, QueueKind, SessionConfig, StoredEvent, ThinkingLevel, TurnLimits } from "../agent/events.ts";
import type { Proposal } from "../approval/propose.ts";
import type { Rule, RuleScope, RuleEffect, RuleTarget } from "../wire/rule.ts";
import type { Trace } from "../agent/trace.ts";
import type { ModelFactsRow } from "../llm/model-facts.ts";
import type { UndoReport, UndoWhat } from "./branches.ts";
import type { Schedule, Schedules } from "./schedules.ts";
import type { Profile } from "../agent/profile.ts";
import type { InspectedPart } from "./inspect-prompt.ts";
import type { LeaseDraft, RuleDraft } from "./grants.ts";
import type { Attachment, AttachmentContent } from "../wire/attachment.ts";
import type { Settings } from "./settings.ts";
import type { WireDoctor } from "../wire/errands.ts";
import type { AppView, AttachmentDraft, Attention, ChildView, ConnectionView, Draft, ExportedFile, ExportedView, JobState, LocalServer, Looking, ModelDraft, ModelView, Receipt, SearchHit, SearchQuery, StorageView, TurnChanges, UsageRow, WorkspacePick } from "./views.ts";

/** Ports with another name are not ours. */
export const PANEL_PORT = "outrigger.panel.v1";

/** What an answer let happen beyond itself. */
export interface ApprovalGrants {
  readonly rules: readonly Rule[];
  readonly lease: Receipt | null;
}

export interface ApprovalAnswer {
  readonly call: string;
  /** The plan that was on screen; an answer to another one is refused as `plan_changed`. */
  readonly plan: string;
  readonly digest: string;
  readonly decision: Decision;
  readonly note?: string;
  /** Of a files plan: the ids of the hunks to apply. Left out: all. */
  readonly hunks?: readonly string[];
  /** Also from now on: a rule that speaks of this call, for what was decided. */
  readonly remember?: { readonly scope: RuleScope; readonly target: RuleTarget };
}

/** Every intent: its parameters and its answer. */
export interface Intents {
  startSession: { params: { text: string; config?: Partial<SessionConfig>; attachments?: readonly string[] }; result: { session: string } };
  /** `attachments`: ids that `addAttachment` gave. With one, the text may be empty. */
  sendMessage: { params: { session: string; text: string; attachments?: readonly string[] }; result: null };
  /** Keeps it until a message takes it along. Refused with a reason where it is too large, of no use to a model, or this model does not take it. */
  addAttachment: { params: { session: string | null; draft: AttachmentDraft }; result: { attachment: Attachment } };
  readAttachment: { params: { attachment: string }; result: { attachment: Attachment; content: AttachmentContent } };
  /** One that no message took along. */
  removeAttachment: { params: { attachment: string }; result: null };
  /** What was written and not sent; null is for a session that has not begun. */
  readDraft: { params: { session: string | null }; result: Draft };
  /** `attachments`: their ids. With nothing in it there is none to keep. */
  keepDraft: { params: { session: string | null; text: string; attachments: readonly string[] }; result: null };
  /** What was chosen and typed on cards that wait, as the panel put it; null is nothing. */
  readCards: { params: { session: string }; result: { cards: string | null } };
  keepCards: { params: { session: string; cards: string | null }; result: null };
  /** The page in front, or what is selected in it, to look at before it is attached. Refused where the browser does not let us read it. */
  capturePage: { params: { what: "page" | "selection" }; result: { draft: AttachmentDraft } };
  /** A panel takes it over; it is no longer listed. False: another one had it first. */
  takeIncoming: { params: { ask: string }; result: { taken: boolean } };
  /** While a turn runs: `queue` says it at the end, `steer` at the next step boundary. */
  queueAdd: { params: { session: string; text: string; kind: QueueKind; attachments?: readonly string[] }; result: { item: string } };
  /** What is left out stays; changing the kind turns a follow-up into a steer, or back. */
  queueEdit: { params: { session: string; item: string; text?: string; kind?: QueueKind }; result: null };
  /** Before another item, or to the end. */
  queueMove: { params: { session: string; item: string; before: string | null }; result: null };
  queueRemove: { params: { session: string; item: string }; result: null };
  /** Says the first item now: for after a stopped or failed turn, where nothing is said by itself. */
  queueSend: { params: { session: string }; result: null };
  /** Replaces the caps, retries and timeouts of the session, or of new ones. */
  setLimits: { params: { session: string | null; limits: TurnLimits }; result: null };
  stop: { params: { session: string }; result: null };
  /** With `lease`: granted with the answer, or not at all. */
  answerApproval: { params: { session: string; answers: readonly ApprovalAnswer[]; lease?: LeaseDraft }; result: ApprovalGrants };
  /** Other arguments for a call that waits; its fresh card follows. */
  editArgs: { params: { session: string; call: string; plan: string; argsText: string }; result: null };
  /** What "always" may mean for a card, the narrowest first, each with what else it would have let through. */
  proposeRules: { params: { session: string; call: string }; result: { proposals: readonly Proposal[] } };
  previewRule: { params: { session: string; target: RuleTarget; effect?: RuleEffect }; result: { alsoMatches: Proposal["alsoMatches"] } };
  /** Null: of this browser alone; else those of the session too. */
  listRules: { params: { session: string | null }; result: { rules: readonly Rule[] } };
  addRule: { params: { session: string | null; rule: RuleDraft }; result: { rule: Rule; receipt: Receipt } };
  /** Another one in its place. */
  changeRule: { params: { session: string | null; rule: string; to: RuleDraft }; result: { rule: Rule; receipt: Receipt } };
  revokeRule: { params: { session: string | null; rule: string }; result: Receipt };
  /** What asks runs by itself for a while. */
  grantLease: { params: { session: string; lease: LeaseDraft }; result: { lease: string; receipt: Receipt } };
  revokeLease: { params: { session: string; lease: string }; result: Receipt };
  /** Summarises what is old, by the session's model; undone by `undoCompaction`, since nothing is deleted. */
  compact: { params: { session: string }; result: null };
  undoCompaction: { params: { session: string; compaction: string }; result: null };
  /** Kept word for word through every compaction. */
  pinTurn: { params: { session: string; turn: string; pinned: boolean }; result: null };
  /** The last requests to models: times, ids, outcomes; never what was said. */
  listTraces: { params: Record<string, never>; result: { traces: readonly Trace[] } };
  /** Windows and prices: what was shipped, and the person's own rows, which win. */
  listModelFacts: { params: Record<string, never>; result: { shipped: readonly ModelFactsRow[]; own: readonly ModelFactsRow[] } };
  saveModelFacts: { params: { own: readonly ModelFactsRow[] }; result: null };
  /** Goes on after a turn (null: from the beginning) on a branch of its own; with a text, at once. */
  forkBranch: { params: { session: string; from: string | null; text: string | null }; result: { branch: string } };
  /** The same message in other words, on a branch of its own. */
  editMessage: { params: { session: string; turn: string; text: string }; result: { branch: string } };
  selectBranch: { params: { session: string; branch: string }; result: null };
  /** Takes a turn and what follows it back. `state: "conflict"`: nothing was done; ask, then `skipConflicts`, or `overwrite` too. */
  undoTurn: { params: { session: string; turn: string; what: UndoWhat; dryRun?: boolean; skipConflicts?: boolean; overwrite?: boolean; paths?: readonly string[] }; result: UndoReport };
  /** What undos of this turn, and of those after it, put over what somebody else had written. */
  bringBackReplaced: { params: { session: string; turn: string; dryRun?: boolean; skipConflicts?: boolean; overwrite?: boolean; paths?: readonly string[] }; result: UndoReport };
  redoTurn: { params: { session: string; turn: string; what: UndoWhat; dryRun?: boolean; skipConflicts?: boolean; overwrite?: boolean; paths?: readonly string[] }; result: UndoReport };
  /** A failed, stopped or paused turn goes on; one that is over is asked once more, on a branch of its own. */
  retryTurn: { params: { session: string; turn: string }; result: null };
  /** The turn is left out of the conversation; the branch before it keeps it (`selectBranch` takes it back). */
  deleteTurn: { params: { session: string; turn: string }; result: { receipt: Receipt; before: string } };
  /** As markdown; null is the whole conversation. */
  copyTurn: { params: { session: string; turn: string | null }; result: { markdown: string } };
  /** The files that a turn changed (null: all turns of the session and of its sub-agents), from the host's journal. */
  listChanges: { params: { session: string; turn: string | null }; result: { turns: readonly TurnChanges[] } };
  /** What a command's background job wrote from a position on (0: all that is kept). */
  /** How the background jobs stand that the host knows, and what those in `since` wrote from that position on. */
  listJobs: { params: { since: Readonly<Record<string, number>> }; result: { jobs: readonly JobState[] } };
  /** Ends a running command, or the background job that it left; what it wrote stays, and the model is told. */
  killCommand: { params: { session: string; call: string }; result: Receipt };
  answerQuestion: { params: { session: string; call: string; answer: QuestionAnswer }; result: null };
  cancelQuestion: { params: { session: string; call: string }; result: null };
  /** A question beside the conversation; subscribe to its session to see the answer. */
  startSide: { params: { session: string; text: string }; result: { session: string } };
  /** The conversation as far as it is, in a session of its own. */
  forkSession: { params: { session: string }; result: { session: string } };
  /** Sub-agents, side threads, scheduled runs and forks that belong to a session. */
  listChildren: { params: { session: string }; result: { children: readonly ChildView[] } };
  listSchedules: { params: Record<string, never>; result: { schedules: readonly Schedule[] } };
  saveSchedule: { params: Parameters<Schedules["save"]>[0]; result: null };
  enableSchedule: { params: { schedule: string; enabled: boolean }; result: null };
  removeSchedule: { params: { schedule: string }; result: Receipt };
  /** Goes on with a failed, paused or waiting turn: Retry, Continue and Retry now are this one. */
  resume: { params: { session: string }; result: null };
  /** Sets the session's workspace and the default of new ones. */
  selectWorkspace: { params: { session: string | null; workspace: string | null }; result: null };
  selectModel: { params: { session: string | null; model: string }; result: null };
  selectMode: { params: { session: string | null; mode: Mode }; result: null };
  saveModel: { params: ModelDraft; result: { model: ModelView; receipt: Receipt } };
  deleteModel: { params: { model: string }; result: Receipt };
  /** Asks the server for its models; for the form that adds one. */
  listProviderModels: { params: { baseUrl: string; apiKey: string | null; model: string | null }; result: { models: readonly string[] } };
  /** Model servers on this machine; none where the browser does not let us ask (`http://127.0.0.1/*`). */
  findLocalServers: { params: Record<string, never>; result: { servers: readonly LocalServer[] } };
  setPassphrase: { params: { passphrase: string }; result: Receipt };
  unlockKeys: { params: { passphrase: string }; result: Receipt };
  lockKeys: { params: Record<string, never>; result: Receipt };
  removePassphrase: { params: { passphrase: string }; result: Receipt };
  renameSession: { params: { session: string; title: string }; result: null };
  /** Can be taken back by `restoreSession` for ten minutes, but with `forGood`. */
  deleteSession: { params: { session: string; forGood?: boolean }; result: Receipt };
  restoreSession: { params: { session: string }; result: null };
  pinSession: { params: { session: string; pinned: boolean }; result: null };
  tagSession: { params: { session: string; tags: readonly string[] }; result: null };
  /** In full text, newest first. */
  searchSessions: { params: SearchQuery; result: { hits: readonly SearchHit[]; more: boolean } };
  /** Every session, attachment, trace and count of use; models, keys, rules and settings too with `everything`. */
  deleteAll: { params: { everything: boolean }; result: Receipt };
  storageUse: { params: Record<string, never>; result: StorageView };
  /** Asks the browser to keep what is stored also when the disk is full. */
  persistStorage: { params: Record<string, never>; result: { persisted: boolean; receipt: Receipt } };
  /** The person knows that the browser lost what was stored. */
  noteLoss: { params: Record<string, never>; result: null };
  /** The sessions of the retention notice go now. */
  cleanNow: { params: Record<string, never>; result: Receipt };
  /** The last days, newest first. */
  listUsage: { params: { days?: number }; result: { rows: readonly UsageRow[] } };
  /** What is left out stays. */
  saveSettings: { params: { change: Partial<Settings> }; result: { settings: Settings } };
  exportSession: { params: { session: string }; result: { json: string } };
  exportAs: { params: { session: string; format: "markdown" | "json" }; result: ExportedFile };
  /** For a page of it, which the panel makes. */
  exportView: { params: { session: string }; result: ExportedView };
  /** The last requests to models as a file. */
  exportTraces: { params: Record<string, never>; result: ExportedFile };
  /** `dropped`: how many entries of the file were damaged. */
  importSession: { params: { json: string }; result: { session: string; dropped: number } };
  listProfiles: { params: Record<string, never>; result: { profiles: readonly (Profile & { builtIn: boolean })[] } };
  /** What a profile can switch on and off; `isDefault`: on where it does not say. */
  listHooks: { params: Record<string, never>; result: { hooks: readonly { readonly id: string; readonly summary: string; readonly isDefault: boolean }[] } };
  saveProfile: { params: { profile: Profile }; result: Receipt };
  deleteProfile: { params: { profile: string }; result: Receipt };
  /** Null: for new sessions. */
  selectProfile: { params: { session: string | null; profile: string }; result: null };
  /** How long the model may think, from the next turn on; null: as it does by itself. */
  selectThinking: { params: { session: string | null; thinking: ThinkingLevel | null }; result: null };
  /** What the next request would hold, part by part. */
  inspectPrompt: { params: { session: string }; result: { parts: readonly InspectedPart[] } };
  retryConnection: { params: Record<string, never>; result: null };
  /** Opens the operating system's folder dialog; what was picked is a workspace when the answer comes. */
  pickWorkspace: { params: Record<string, never>; result: WorkspacePick };
  /** The folder itself is not touched. */
  removeWorkspace: { params: { workspace: string }; result: null };
  /** Every step of the way between browser and host; with `report`, also as text for an issue. */
  runDoctor: { params: { report: boolean }; result: WireDoctor };
  refreshWorkspaces: { params: Record<string, never>; result: null };
}

export type IntentName = keyof Intents;

export type PanelMessage =
  | { readonly kind: "intent"; readonly id: number; readonly name: IntentName; readonly params: unknown }
  /** Events after `after` (0: all), then every new one. */
  | { readonly kind: "subscribe"; readonly session: string; readonly after: number }
  | { readonly kind: "unsubscribe"; readonly session: string }
  | { readonly kind: "looking"; readonly looking: Looking };

export type EngineMessage =
  | { readonly kind: "answer"; readonly id: number; readonly result: unknown }
  | { readonly kind: "refused"; readonly id: number; readonly fault: Fault }
  | { readonly kind: "connection"; readonly view: ConnectionView }
  | { readonly kind: "app"; readonly view: AppView }
  /** What is stored cannot be opened now, so there is nothing to show; the next `app` says that it can. */
  | { readonly kind: "shut"; readonly fault: Fault }
  /** `caughtUp`: the snapshot is whole; what follows is live. */
  | { readonly kind: "events"; readonly session: string; readonly events: readonly StoredEvent[]; readonly caughtUp: boolean }
  | { readonly kind: "gone"; readonly session: string }
  | { readonly kind: "attention"; readonly attention: Attention }
  /** To one panel: a notification was clicked, and it is the one to turn to that session. */
  | { readonly kind: "show"; readonly session: string };
