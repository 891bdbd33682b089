// The log of a session: the closed union of everything that can happen in it.
//
// A session *is* its list of events. Messages, cards, meters and titles are projections of it.
// An event is durable before the effect it allows, so a log cut at any place can be gone on from.
import type { Attachment } from "./attachment.ts";
import type { Plan, Tier } from "./plan.ts";
import type { Rule } from "./rule.ts";

/** What runs without asking: `plan` only reads, `ask` asks by tier, `accept_edits` lets the batch tier run. */
export type Mode = "plan" | "ask" | "accept_edits";

export interface SessionConfig {
  /** Workspace id, or null for the host's default. */
  readonly workspace: string | null;
  /** Id of a stored model, or `demo`. */
  readonly model: string;
  readonly mode: Mode;
  /** What is left out has the value of `agent/limits.ts`. */
  readonly limits?: TurnLimits;
  readonly thinking?: ThinkingLevel;
  /** The profile it came from; what stands here counts, whatever becomes of the profile. */
  readonly profile?: string;
  /** Words of the profile that follow our own. */
  readonly instructions?: string;
  /** Names of the tools that may be offered; left out, all. */
  readonly tools?: readonly string[];
  /** Ids of the hooks that are on; left out, those that are by themselves. */
  readonly hooks?: readonly string[];
}

export type ThinkingLevel = "none" | "low" | "medium" | "high";

/** Why a session exists beside those a person began. */
export interface SessionOrigin {
  readonly kind: "subagent" | "side" | "schedule" | "fork";
  /** The session it belongs to; null where a schedule belongs to none. */
  readonly session: string | null;
  /** The call that wants its answer, or the schedule that began it. */
  readonly by: string | null;
  /** It works for a scheduled run. */
  readonly scheduled?: true;
}

/** What a question looks like to the person, and what may be answered. */
export interface Question {
  readonly title: string;
  readonly fields: readonly QuestionField[];
  /** http(s) only; opened by a button of its own and by nothing else. */
  readonly link: string | null;
}

export interface QuestionField {
  readonly id: string;
  readonly label: string;
  readonly kind: "choice" | "choices" | "text" | "yes_no";
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly required: boolean;
}

export type QuestionAnswer = Readonly<Record<string, string | boolean | readonly string[]>>;

/** A message another conversation begins with: what was said before it, word for word. */
export interface SeedMessage {
  readonly role: "user" | "assistant";
  readonly text: string;
}

/** How far a turn goes before it asks. Null: no cap. Counted anew after each Continue. */
export interface TurnLimits {
  readonly steps?: number;
  readonly costUsd?: number | null;
  /** Time at work; what a card or a pause waits for a person is not counted. */
  readonly minutes?: number | null;
  /** How often a refused request is sent again by itself. */
  readonly retries?: number;
  /** The waits before a refused request is sent again: the first, and the longest they grow to. */
  readonly retryFirstMs?: number;
  readonly retryLastMs?: number;
  /** The longest one call of a tool may take, by the tool's name. */
  readonly toolTimeoutsMs?: Readonly<Record<string, number>>;
}

/** `queue` is delivered at the end of the turn, `steer` at its next step boundary. */
export type QueueKind = "queue" | "steer";

export interface Usage {
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly cachedInputTokens: number | null;
  readonly reasoningTokens: number | null;
  /** Written to the provider's cache; left out in logs of before it was counted. */
  readonly cacheWriteTokens?: number | null;
}

/** What is known of a model, as it was when a turn began. Null is unknown, and nothing is guessed from it. */
export interface ModelLimits {
  readonly window: number | null;
  readonly output: number | null;
  /** What its provider counts for one token of our estimate, as other sessions found. Left out: unknown. */
  readonly tokenFactor?: number;
}

/** Our own count of a prompt's tokens, before any correction. */
export interface PromptEstimate {
  readonly system: number;
  readonly tools: number;
  readonly messages: number;
}

export type FinishReason = "stop" | "tool_calls" | "length" | "content_filter" | "other";
export type Decision = "allow" | "deny";

/** A fault in words a person can act on. Never carries a key or a file's contents. */
export interface Fault {
  readonly code: string;
  readonly message: string;
  /** What to do about it. */
  readonly hint: string | null;
  readonly retryable: boolean;
  /** The browser must be asked for this address first (`requestOrigin`, in a click); then Retry works. */
  readonly origin?: string;
}

/** Opaque data of a provider (signatures of reasoning) that must go back to it unchanged. */
export type ProviderData = Readonly<Record<string, unknown>>;

export type AgentEvent =
  | { readonly type: "SessionStarted"; readonly config: SessionConfig; readonly origin?: SessionOrigin }
  /** The conversation goes on from what was said elsewhere; `strangers` came along. */
  | { readonly type: "Seeded"; readonly messages: readonly SeedMessage[]; readonly strangers: readonly string[] }
  | { readonly type: "SessionConfigured"; readonly config: SessionConfig }
  | { readonly type: "TitleSet"; readonly title: string; readonly by: "user" | "engine" }
  /** Kept by the retention, and listed first. */
  | { readonly type: "SessionPinned"; readonly pinned: boolean }
  /** Replaces them. */
  | { readonly type: "SessionTagged"; readonly tags: readonly string[] }
  | {
      readonly type: "UserMessage";
      readonly message: string;
      readonly text: string;
      /** The queue item that it was; delivering takes it out of the queue. */
      readonly item?: string;
      readonly attachments?: readonly Attachment[];
    }
  | { readonly type: "QueueAdded"; readonly item: string; readonly kind: QueueKind; readonly text: string; readonly attachments?: readonly Attachment[] }
  | { readonly type: "QueueEdited"; readonly item: string; readonly kind: QueueKind; readonly text: string }
  /** Null: to the end. */
  | { readonly type: "QueueMoved"; readonly item: string; readonly before: string | null }
  | { readonly type: "QueueRemoved"; readonly item: string }
  /** A hook of the profile has a word for the model, after the steps there are so far. Each says it once under one key. */
  | { readonly type: "HookNoted"; readonly turn: string; readonly hook: string; readonly key: string; readonly text: string }
  /** The rest of the turn, and what follows it, is another profile's. What its model is, was not told by the first versions. */
  | { readonly type: "HandedOver"; readonly turn: string; readonly config: SessionConfig; readonly modelLabel?: string; readonly limits?: ModelLimits }
  /** A queue item became part of the running turn, after the steps it has so far. */
  | { readonly type: "Steered"; readonly turn: string; readonly item: string; readonly text: string; readonly attachments?: readonly Attachment[] }
  | { readonly type: "TurnStart"; readonly turn: string; readonly message: string; readonly config: SessionConfig; readonly modelLabel: string; readonly limits?: ModelLimits }
  | { readonly type: "StepStart"; readonly turn: string; readonly step: string; readonly index: number; readonly attempt: number }
  | { readonly type: "AssistantDelta"; readonly step: string; readonly text: string }
  | { readonly type: "ReasoningDelta"; readonly step: string; readonly text: string }
  | {
      readonly type: "ToolRequested";
      readonly step: string;
      /** A ULID: our name of the call, and its idempotency key in the host. */
      readonly call: string;
      readonly providerCall: string;
      readonly tool: string;
      /** The arguments exactly as the model wrote them; maybe not valid JSON. */
      readonly argsText: string;
      /** From the host's annotations: it changes nothing. */
      readonly readOnly: boolean;
      /** May be planned beside its neighbours: its only target is this path. */
      readonly path: string | null;
      readonly providerData?: ProviderData;
    }
  /** Seals a step: only now do its calls count. */
  | {
      readonly type: "AssistantDone";
      readonly step: string;
      readonly text: string;
      readonly reasoning: string;
      readonly finish: FinishReason;
      readonly usage: Usage | null;
      readonly estimate?: PromptEstimate;
      /** In US dollars by the prices of that moment; null or left out where they are not known. */
      readonly costUsd?: number | null;
      readonly providerData?: ProviderData;
    }
  /** A stream ended before its step was sealed. What arrived stays as a draft. */
  | { readonly type: "StreamCut"; readonly step: string; readonly fault: Fault; readonly retryAfterMs: number | null }
  | { readonly type: "RetryScheduled"; readonly step: string; readonly attempt: number; readonly at: number; readonly fault: Fault }
  /** With the journal in which the host will write it down; left out of reads. */
  | { readonly type: "ToolStarted"; readonly call: string; readonly instance: string; readonly journal?: string }
  | { readonly type: "ToolProgress"; readonly call: string; readonly progress: number; readonly total: number | null; readonly message: string | null }
  | { readonly type: "ToolOutput"; readonly call: string; readonly text: string; readonly offset: number; readonly skippedBytes: number }
  | { readonly type: "PolicyDecision"; readonly call: string; readonly decision: "ask" | Decision; readonly by: string }
  | {
      readonly type: "ApprovalAsked";
      readonly call: string;
      readonly plan: Plan;
      /** Sealed by the host; goes back with the answer. */
      readonly requestState: string;
      /** The process of the host that sealed it. Another one cannot open it. */
      readonly instance: string;
    }
  | {
      readonly type: "ApprovalAnswered";
      readonly call: string;
      readonly plan: string;
      readonly digest: string;
      readonly decision: Decision;
      readonly note: string | null;
      /** Of a files plan: apply only these. Null is all. */
      readonly hunks: readonly string[] | null;
      readonly by: string;
    }
  | { readonly type: "QuestionAsked"; readonly call: string; readonly question: Question }
  | { readonly type: "QuestionAnswered"; readonly call: string; readonly answer: QuestionAnswer }
  | { readonly type: "QuestionCancelled"; readonly call: string }
  /** Nobody answered in the time that the person has set for questions. */
  | { readonly type: "QuestionFailed"; readonly call: string }
  /** The person changed the arguments before answering. The host knows the call by a new key: what it asked about is no more. */
  | { readonly type: "ArgsEdited"; readonly call: string; readonly key: string; readonly argsText: string }
  | { readonly type: "RuleAdded"; readonly rule: Rule }
  | { readonly type: "RuleRevoked"; readonly rule: string }
  | {
      readonly type: "LeaseGranted";
      readonly lease: string;
      readonly tiers: readonly Tier[];
      /** Milliseconds since 1970. */
      readonly until: number;
      readonly calls: number | null;
      readonly costUsd: number | null;
    }
  | { readonly type: "LeaseRevoked"; readonly lease: string }
  | {
      readonly type: "ToolResult";
      readonly call: string;
      readonly isError: boolean;
      /** What the model reads. */
      readonly text: string;
      readonly structured: unknown;
      readonly origin: "host" | "engine";
      readonly replayed: boolean;
      readonly durationMs: number | null;
      /** Whose text it is, where it is a stranger's: an address that was fetched. */
      readonly stranger?: string;
      /** What came beside the text, kept apart from the log. */
      readonly pictures?: readonly Attachment[];
    }
  /** The person asks for room; done at the next step boundary, or at once where none runs. */
  | { readonly type: "CompactRequested"; readonly compaction: string }
  /** The model refused to make the summary; it is asked again then. */
  | {
      readonly type: "CompactRetryScheduled";
      readonly compaction: string;
      readonly attempt: number;
      readonly at: number;
      readonly fault: Fault;
      /** How many of the attempts so far had begun to answer; left out in logs of before it was counted. */
      readonly billed?: number;
    }
  /** What came before the cut is told by its summary from now on. The log keeps it, so it can be undone. */
  | {
      readonly type: "Compacted";
      readonly compaction: string;
      /** All before this turn, and so many of its steps. */
      readonly turn: string;
      readonly steps: number;
      readonly summary: string;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
      readonly by: "user" | "engine";
      readonly usage: Usage | null;
      readonly costUsd?: number | null;
      /** Left out: the turn's own. */
      readonly model?: ModelName;
    }
  /** With usage, where the model had answered all the same. */
  | { readonly type: "CompactFailed"; readonly compaction: string; readonly fault: Fault; readonly usage?: Usage | null; readonly costUsd?: number | null; readonly model?: ModelName }
  | { readonly type: "CompactionUndone"; readonly compaction: string }
  /**
   * From now on the conversation goes on after this turn (null: from its beginning). What it was until now stays a branch of its own,
   * so that going back, editing a message and undoing a turn lose nothing.
   */
  | {
      readonly type: "BranchStart";
      readonly branch: string;
      readonly kind: BranchKind;
      readonly from: string | null;
      /** Of `delete`: this turn is left out of it. */
      readonly without?: string;
    }
  | { readonly type: "BranchSelected"; readonly branch: string }
  /**
   * The person takes files of a turn and of those after it back, or brings them back. Written before the host touches the first one:
   * who dies on the way leaves half of it done, and the next engine does the rest.
   */
  | ({ readonly type: "UndoStarted" } & UndoAsked)
  /** `given_up`: it could not be done, and nothing was. `left`: nobody was there to finish it in time, or it failed on the way. */
  | { readonly type: "UndoEnded"; readonly undo: string; readonly state: "done" | "conflict" | "given_up" | "left" }
  /** Files of a turn were put back, or put there again, by the host. */
  | {
      readonly type: "UndoDone";
      readonly turn: string;
      readonly direction: "undo" | "redo";
      readonly state: string;
      readonly files: readonly UndoneFile[];
      /** What somebody else had written and an undo replaced, as far as the host can bring it back now. Left out: nothing. */
      readonly replaced?: readonly string[];
      /** What an undo had replaced was brought back. */
      readonly broughtBack?: boolean;
      /** Of a sub-agent's turn: the turn for which it worked. */
      readonly within?: string;
    }
  /** Kept word for word through every compaction. */
  | { readonly type: "TurnPinned"; readonly turn: string; readonly pinned: boolean }
  | { readonly type: "StepEnd"; readonly step: string }
  | { readonly type: "TurnPaused"; readonly turn: string; readonly reason: PauseReason; readonly message: string }
  | { readonly type: "TurnResumed"; readonly turn: string; readonly by: "user" }
  | { readonly type: "StopRequested"; readonly turn: string }
  | { readonly type: "TurnEnd"; readonly turn: string; readonly outcome: "complete" | "cancelled" | "failed"; readonly fault: Fault | null }
  | { readonly type: "Recovered"; readonly turn: string; readonly what: string };

/**
 * `fork`: the person goes on from here. `edit`: with another message. `undo`: a turn and what follows it were taken back.
 * `retry`: the same message once more. `delete`: one turn is left out.
 */
export type BranchKind = "main" | "fork" | "edit" | "undo" | "retry" | "delete";

export interface ModelName {
  readonly id: string;
  /** As it was called then. */
  readonly label: string;
}

/** What a person asked for, as far as it touches files. */
export interface UndoAsked {
  readonly undo: string;
  /** `bring_back`: what undos had replaced. */
  readonly act: "undo" | "redo" | "bring_back";
  readonly turn: string;
  readonly what: "files" | "both";
  readonly skipConflicts: boolean;
  readonly overwrite: boolean;
  /** Left out: all. */
  readonly paths?: readonly string[];
}

export interface UndoneFile {
  readonly path: string;
  readonly action: string;
  /** Why it was left alone. */
  readonly conflict: string | null;
  /** What somebody else had written there is replaced; the host keeps it. */
  readonly replaced?: boolean;
}

export type PauseReason = "step_cap" | "cost_cap" | "price_unknown" | "time_cap" | "same_failure" | "no_progress" | "context_full";

/** An event in its place. Sequence numbers of a session have no gaps and begin at 1. */
export interface StoredEvent {
  readonly session: string;
  readonly seq: number;
  readonly id: string;
  /** The event it follows: the log is a tree, whose one branch so far is the main one. */
  readonly parent: string | null;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly event: AgentEvent;
}

/** Deltas may be lost with the machine's power; every other event is a boundary and may not. */
export function isBoundary(event: AgentEvent): boolean {
  switch (event.type) {
    case "AssistantDelta":
    case "ReasoningDelta":
    case "ToolOutput":
    case "ToolProgress":
      return false;
    default:
      return true;
  }
}
