// What the panel shows of one session. Made from the log by `projection.ts`, and by nothing else.
import type { BranchKind, Decision, Fault, Mode, PauseReason, Question, QuestionAnswer, QueueKind, SeedMessage, SessionConfig, SessionOrigin, UndoAsked, Usage } from "./events.ts";
import type { Todo } from "./todos.ts";
import type { CompactionLog, RetryLog, UndoLog } from "./log.ts";
import type { ContextMeter } from "./meter.ts";
import type { Lease } from "../approval/lease.ts";
import type { Rule } from "../wire/rule.ts";
import type { Attachment } from "../wire/attachment.ts";
import type { CommandView } from "./commands.ts";
import type { Plan, Tier } from "../wire/plan.ts";

/** The five states a turn is shown in. */
export type TurnStatus = "running" | "needs_you" | "complete" | "cancelled" | "failed";

/** The state of a session: that of its last turn, or `idle` before the first. */
export type SessionStatus = "idle" | TurnStatus;

export interface SessionView {
  readonly id: string;
  /** Sequence number of the last event in this view. */
  readonly seq: number;
  readonly title: string;
  /** Kept by the retention. */
  readonly pinned?: boolean;
  readonly tags?: readonly string[];
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly status: SessionStatus;
  /** For the next turn; the running one keeps what it began with. */
  readonly config: SessionConfig;
  readonly turns: readonly TurnView[];
  /** Calls that wait for an answer now, oldest first; the same objects as in the turns. */
  readonly waiting: readonly ToolCallView[];
  readonly usage: Usage;
  /** What ran commands in this conversation, oldest first, with what they wrote: the Terminal. */
  readonly commands?: readonly CommandView[];
  /** What waits to be said, first to last; after a stopped or failed turn it waits for the person. */
  readonly queue: readonly QueueItemView[];
  /** All that were granted here; the panel shows those that have time, calls and money left. */
  readonly leases: readonly Lease[];
  readonly rules: readonly Rule[];
  /** Whose text is in the conversation: while there is any, nothing runs by itself. */
  readonly strangers: readonly string[];
  readonly context: ContextMeter;
  readonly compactions: readonly CompactionLog[];
  readonly compacting: boolean;
  /** A summary was refused: when it is asked for again, and why. */
  readonly compactRetry?: RetryLog | null;
  /** A sub-agent, a side thread, a scheduled run, or null. */
  readonly origin: SessionOrigin | null;
  /** What was said before it, elsewhere. */
  readonly seed: readonly SeedMessage[];
  readonly todos: readonly Todo[];
  readonly branch: string;
  readonly branches: readonly BranchView[];
  /** The newest undo or redo of each turn's files. */
  readonly undone: readonly UndoLog[];
  /** An undo that was cut off and that nobody finished. */
  readonly undoLeft?: Pick<UndoAsked, "act" | "turn" | "what" | "paths"> | null;
}

export interface BranchView {
  readonly id: string;
  readonly kind: BranchKind;
  /** The turn it goes on after, and the branch it was made on. */
  readonly from: string | null;
  readonly parent: string | null;
  readonly at: number;
  readonly isCurrent: boolean;
  readonly turns: readonly { readonly id: string; readonly text: string; readonly status: TurnStatus; readonly at: number }[];
}

export interface QueueItemView {
  readonly id: string;
  /** `queue`: at the end of the turn. `steer`: at its next step boundary. */
  readonly kind: QueueKind;
  readonly text: string;
  readonly attachments?: readonly Attachment[];
  readonly at: number;
}

export interface TurnView {
  /** Null while the message waits for its turn to begin. */
  readonly id: string | null;
  readonly message: UserMessageView;
  readonly status: TurnStatus;
  readonly mode: Mode;
  readonly model: string;
  readonly modelLabel: string;
  readonly steps: readonly StepView[];
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** Stop was pressed and the last call is being settled. */
  readonly stopping: boolean;
  readonly paused: { readonly reason: PauseReason; readonly message: string } | null;
  /** Why it failed, in words, with what to do. */
  readonly fault: Fault | null;
  /** Retry goes on from the last whole step. */
  readonly canRetry: boolean;
  readonly usage: Usage;
  /** Null where no price is known. */
  readonly costUsd: number | null;
  readonly pinned: boolean;
  /** Said while it ran, each after so many of its steps. */
  readonly steers: readonly { readonly id: string; readonly text: string; readonly attachments?: readonly Attachment[]; readonly afterSteps: number; readonly at: number }[];
  /** What hooks told the model, each after so many of its steps. */
  readonly notes?: readonly { readonly hook: string; readonly text: string; readonly afterSteps: number; readonly at: number }[];
  /** A cap that comes near, as a share of it. */
  readonly nearing: { readonly reason: PauseReason; readonly share: number } | null;
  /** What was mended after an interruption, in words, oldest first. */
  readonly notices: readonly string[];
}

export interface UserMessageView {
  readonly id: string;
  readonly text: string;
  /** Chips; their content is had by `readAttachment`. */
  readonly attachments?: readonly Attachment[];
  readonly at: number;
}

export interface StepView {
  readonly id: string;
  readonly index: number;
  readonly attempt: number;
  /** `draft`: the stream was cut; the text stays and counts for nothing. */
  readonly state: "streaming" | "draft" | "waiting_to_retry" | "done";
  /** Markdown. Untrusted: may hold anything. */
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly ToolCallView[];
  readonly usage: Usage | null;
  /** Null: the price is not known. */
  readonly costUsd: number | null;
  readonly startedAt: number;
  /** While waiting to retry: when, and why. */
  readonly retry: RetryLog | null;
}

/**
 * `writing`: the model's step is not whole yet. `queued`: waits for calls before it. `running`: with the host.
 * `waiting`: needs an answer. `answered`: answered, not yet sent or running. `done` and `failed`: has its result.
 * `denied` and `cancelled`: has its result, nothing was done (or what was done stands in it). `dropped`: of a draft; never ran.
 */
export type ToolCallState = "writing" | "queued" | "running" | "waiting" | "answered" | "done" | "failed" | "denied" | "cancelled" | "dropped";

export interface ToolCallView {
  readonly id: string;
  readonly step: string;
  readonly tool: string;
  readonly state: ToolCallState;
  readonly readOnly: boolean;
  readonly argsText: string;
  /** What the model wrote, where the person changed it. */
  readonly written: string | null;
  /** The parsed arguments, or null where the model wrote no valid JSON object. */
  readonly args: Readonly<Record<string, unknown>> | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly progress: { readonly progress: number; readonly total: number | null; readonly message: string | null } | null;
  /** The end of a command's live output (at most 64 Ki characters). */
  readonly output: string;
  readonly outputSkippedBytes: number;
  readonly result: ToolResultView | null;
  /** Of `ask_question`. Waits while it is `active`; its answer stays readable. */
  readonly question: { readonly question: Question; readonly status: "active" | "completed" | "cancelled" | "failed"; readonly answer: QuestionAnswer | null; readonly at: number } | null;
  /** The plan, from the moment it asks until after it is answered. */
  readonly approval: ApprovalView | null;
}

export interface ToolResultView {
  readonly isError: boolean;
  readonly text: string;
  readonly structured: unknown;
  /** The host's failure code, such as `stale` or `approval_denied`. */
  readonly code: string | null;
  readonly durationMs: number | null;
  /** Taken from the host's journal instead of run again. */
  readonly replayed: boolean;
  readonly pictures?: readonly Attachment[];
}

export interface ApprovalView {
  readonly plan: Plan;
  readonly tier: Tier;
  /** Waiting cards of the batch tier with the same group are one card with a row each; null is a card of its own. */
  readonly group: string | null;
  readonly askedAt: number;
  /** Allow asks the browser for this address first (`requestOrigin`, in the click itself); without it the call fails and says so. */
  readonly needsOrigin?: string | null;
  /** Null while it waits. */
  readonly answer: { readonly decision: Decision; readonly note: string | null; readonly by: string; readonly at: number } | null;
}
