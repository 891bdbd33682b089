// What a folded log looks like, and how to look things up in it. Made by `fold.ts` alone.
import type { BranchKind, Decision, Fault, FinishReason, ModelLimits, PauseReason, PromptEstimate, ProviderData, Question, QuestionAnswer, QueueKind, SeedMessage, SessionConfig, SessionOrigin, UndoAsked, UndoneFile, Usage } from "./events.ts";
import type { Lease } from "../approval/lease.ts";
import type { Attachment } from "../wire/attachment.ts";
import type { Plan } from "../wire/plan.ts";
import type { Rule } from "../wire/rule.ts";

export interface SessionLog {
  readonly session: string;
  readonly seq: number;
  readonly lastEvent: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly config: SessionConfig;
  readonly origin: SessionOrigin | null;
  readonly seed: readonly SeedMessage[];
  /** Whose text came along with the seed. */
  readonly seedStrangers: readonly string[];
  readonly title: string | null;
  readonly pinned: boolean;
  readonly tags: readonly string[];
  /** Of the current branch, from the beginning of the conversation. */
  readonly turns: readonly TurnLog[];
  readonly branch: string;
  /** All of them, oldest first, the current one too. */
  readonly branches: readonly BranchLog[];
  readonly undone: readonly UndoLog[];
  /** Files are being taken back or brought back; what an engine that died left of it is done by the next one. */
  readonly undoing: UndoAsked | null;
  /** One that nobody finished: it may have been done in part. Until the next one is begun. */
  readonly undoLeft: UndoAsked | null;
  /** What waits to be said, first to last. */
  readonly queue: readonly QueueItem[];
  /** The conversation was turned elsewhere while something waited: the person says when it goes. */
  readonly isQueueHeld: boolean;
  /** Made for this session or one of its turns. */
  readonly rules: readonly Rule[];
  readonly leases: readonly Lease[];
  /** In order; those that were undone are gone. */
  readonly compactions: readonly CompactionLog[];
  /** Asked for by the person and not yet made. */
  readonly compactRequested: string | null;
  /** A summary was refused and is asked for again then. */
  readonly compactRetry: RetryLog | null;
}

export interface RetryLog {
  readonly at: number;
  readonly attempt: number;
  readonly fault: Fault;
  /** Of a summary: how many of the attempts are paid for. */
  readonly billed?: number;
}

export interface BranchLog {
  readonly id: string;
  readonly kind: BranchKind;
  /** The turn it goes on after; null is the beginning. */
  readonly from: string | null;
  /** The branch it was made on. */
  readonly parent: string | null;
  readonly at: number;
  /** As it was when it was left; of the current branch the log's own turns count. */
  readonly turns: readonly TurnLog[];
}

/** How the files of a turn stand after its undos and redos. */
export interface UndoLog {
  readonly turn: string;
  /** `undo` as long as anything of it is undone. */
  readonly direction: "undo" | "redo";
  readonly state: string;
  readonly files: readonly UndoneFile[];
  /** What somebody else had written and an undo replaced, as far as it can be brought back. */
  readonly replaced?: readonly string[];
  /** Of a sub-agent's turn: the turn for which it worked. */
  readonly within?: string;
  readonly at: number;
}

export interface CompactionLog {
  readonly id: string;
  readonly turn: string;
  readonly steps: number;
  readonly summary: string;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly by: "user" | "engine";
  readonly failed: boolean;
  readonly at: number;
}

/** What a summary cost; it counts with the turn's steps. */
export interface SummaryLog {
  readonly usage: Usage | null;
  readonly costUsd: number | null;
  readonly fault: Fault | null;
  readonly afterSteps: number;
  /** As the turn's, when it was made. */
  readonly resumedAt: number;
}

export interface QueueItem {
  readonly id: string;
  readonly kind: QueueKind;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly at: number;
}

/** Said while the turn ran: it stands after the steps there were by then. */
export interface Steer {
  readonly id: string;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly afterSteps: number;
  readonly at: number;
}

/** A hook's word to the model, in its place. */
export interface HookNote {
  readonly hook: string;
  readonly key: string;
  readonly text: string;
  readonly afterSteps: number;
  readonly at: number;
}

export interface TurnLog {
  /** The id of the message that began it is the id of the turn. */
  readonly id: string;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly at: number;
  readonly begun: boolean;
  readonly config: SessionConfig;
  readonly modelLabel: string;
  readonly limits: ModelLimits;
  readonly pinned: boolean;
  readonly steps: readonly StepLog[];
  readonly steers: readonly Steer[];
  readonly notes: readonly HookNote[];
  /** Summaries that were asked for while it was the last turn, also those that failed. */
  readonly summaries: readonly SummaryLog[];
  /** Time at work since the last Continue, up to the last event. */
  readonly workedMs: number;
  readonly stopping: boolean;
  readonly paused: { readonly reason: PauseReason; readonly message: string } | null;
  readonly outcome: "complete" | "cancelled" | "failed" | null;
  readonly fault: Fault | null;
  readonly endedAt: number | null;
  /** Steps before this place were made before the last Continue: caps count from here. */
  readonly resumedAt: number;
  /** The person went on although the window was full. */
  readonly continuedFull: boolean;
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
  readonly costUsd: number | null;
  readonly estimate: PromptEstimate | null;
  readonly startedAt: number;
  readonly cut: { readonly fault: Fault; readonly retryAfterMs: number | null } | null;
  readonly retry: RetryLog | null;
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
  /** Its name in the host; another one than `id` after its arguments were edited. */
  readonly key: string;
  /** The arguments as the model wrote them, where the person changed them since. */
  readonly written: string | null;
  readonly state: "requested" | "started" | "asked" | "questioned" | "answered" | "settled";
  /** It was with the host at least once without being asked about since. */
  readonly sent: boolean;
  /** Where the host wrote down that it was sent last, as far as it says. */
  readonly journal: string | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly progress: { readonly progress: number; readonly total: number | null; readonly message: string | null } | null;
  readonly output: string;
  /** Left out by the host, or by the log. */
  readonly outputSkippedBytes: number;
  /** Left out of `output` because only its end is kept here. */
  readonly outputCut: number;
  readonly asked: { readonly plan: Plan; readonly requestState: string; readonly instance: string; readonly at: number } | null;
  readonly answer: {
    readonly decision: Decision;
    readonly digest: string;
    readonly note: string | null;
    readonly hunks: readonly string[] | null;
    readonly by: string;
    readonly at: number;
  } | null;
  /** The person let only a part of it through, of a plan that is no more: what would let it run whole asks. */
  readonly isPartly: boolean;
  /** Of `ask_question`: stays readable after it was answered or cancelled. */
  readonly question: { readonly question: Question; readonly status: "active" | "completed" | "cancelled" | "failed"; readonly answer: QuestionAnswer | null; readonly at: number } | null;
  readonly result: {
    readonly isError: boolean;
    readonly text: string;
    readonly structured: unknown;
    readonly origin: "host" | "engine";
    readonly replayed: boolean;
    readonly durationMs: number | null;
    readonly stranger: string | null;
    readonly pictures: readonly Attachment[];
  } | null;
  readonly providerData: ProviderData | null;
}

export const DEFAULT_CONFIG: SessionConfig = { workspace: null, model: "demo", mode: "ask" };

/** The turn that is going on, waiting to begin, or the last one; undefined in an empty session. */
export function lastTurn(log: SessionLog): TurnLog | undefined {
  return log.turns.at(-1);
}

/** The turns of any branch; undefined: there is no such branch. */
export function turnsOfBranch(log: SessionLog, branch: string): readonly TurnLog[] | undefined {
  return branch === log.branch ? log.turns : log.branches.find(({ id }) => id === branch)?.turns;
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


/** A card or a pause waits for a person, and nothing else goes on. */
export function isWaiting(turn: TurnLog): boolean {
  if (turn.paused !== null) return true;
  const last = turn.steps.at(-1);
  if (last?.state !== "sealed") return false;
  const open = last.calls.filter((call) => call.state !== "settled");
  return open.length > 0 && open.every((call) => call.state === "requested" || waitsForPerson(call)) && open.some(waitsForPerson);
}

/** Asked of a call that is about to be asked about again. */
export function isPartly({ isPartly: wasPartly, answer }: CallLog): boolean {
  return wasPartly || (answer?.by === "user" && (answer.hunks !== null || answer.decision === "deny"));
}

/** A card or a question of this call waits. */
export function waitsForPerson(call: CallLog): boolean {
  return call.state === "asked" || call.state === "questioned";
}
