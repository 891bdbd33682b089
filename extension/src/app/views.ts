// What the panel shows beside a session: the connection, the lists, the models.
import type { Fault, Mode, SessionConfig, SessionOrigin } from "../agent/events.ts";
import type { Attachment, AttachmentKind } from "../wire/attachment.ts";
import type { ProviderKind } from "../llm/providers.ts";
import type { StorageLoss } from "../storage/witness.ts";
import type { SessionStatus, SessionView } from "../agent/session-view.ts";
import type { Settings } from "./settings.ts";

export type { UsageRow } from "../storage/storage.ts";
export type { ConnectionFault, ConnectionView, HostView } from "../host/connection-view.ts";

export interface SessionSummary {
  readonly id: string;
  readonly title: string;
  readonly status: SessionStatus;
  readonly workspace: string | null;
  readonly model: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Approvals and questions that wait, or a turn that asks whether it should go on. */
  readonly waiting: number;
  /** Kept by the retention. Left out: no. */
  readonly pinned?: boolean;
  readonly tags?: readonly string[];
}

/** A session that belongs to another one. */
export interface ChildView extends SessionSummary {
  readonly kind: SessionOrigin["kind"];
  /** The call or the schedule it was begun by. */
  readonly by: string | null;
}

export interface WorkspaceView {
  readonly id: string;
  readonly path: string;
  readonly isDefault: boolean;
  readonly readOnly: boolean;
  readonly available: boolean;
  /** Why it cannot be used. */
  readonly reason: string | null;
}

/** A model as it is stored, without its key. */
export interface ModelView {
  readonly id: string;
  readonly label: string;
  readonly kind: "demo" | ProviderKind;
  readonly textTools?: boolean;
  /** Its key is sealed, and nobody has unlocked it since the browser started. */
  readonly locked?: boolean;
  readonly baseUrl: string | null;
  readonly modelName: string | null;
  readonly hasKey: boolean;
  /** The browser allows requests to its origin. */
  readonly permitted: boolean;
}

export interface ModelDraft {
  /** Null makes a new one. */
  readonly id: string | null;
  /** Left out: a server that speaks OpenAI's chat completions. */
  readonly kind?: ProviderKind;
  readonly textTools?: boolean;
  readonly label: string;
  /** Such as `http://127.0.0.1:11434/v1`. */
  readonly baseUrl: string;
  readonly modelName: string;
  /** Null keeps the stored key; an empty string removes it. */
  readonly apiKey: string | null;
}

/** Everything small, pushed whole on each change. */
export interface AppView {
  /** Sessions cannot be kept: the browser offers no IndexedDB here (a private window). */
  readonly memoryOnly: boolean;
  readonly models: readonly ModelView[];
  /** Null: the host has not told yet. */
  readonly workspaces: readonly WorkspaceView[] | null;
  /** What a new session begins with: the last choice. */
  readonly defaults: SessionConfig;
  readonly sessions: readonly SessionSummary[];
  readonly modes: readonly Mode[];
  /** A session could not be written down (a full disk); its work stopped where the log ends. */
  readonly storageFault?: Fault;
  /** The browser lost what was stored here; told until `noteLoss`. */
  readonly storageLoss?: StorageLoss;
  /** How keys are kept: as they are, sealed and open for now, sealed and locked. */
  readonly keys?: KeyState;
  readonly settings?: Settings;
  /** Told before the oldest sessions go, because they fill more than the person allows. Null: nothing goes. */
  readonly retention?: RetentionNotice | null;
  /** Deleted a moment ago: they can be brought back until then. */
  readonly deleted?: readonly DeletedSession[];
  /** What a page's context menu brought and no composer has taken yet, oldest first. */
  readonly incoming?: readonly IncomingAsk[];
  /** A notification was clicked: turn to this session, once for each time. */
  readonly focus?: { readonly session: string; readonly at: number } | null;
  /** The last ten that sessions used and that are still there, newest first. */
  readonly recentWorkspaces?: readonly RecentWorkspace[];
}

export interface DeletedSession {
  readonly id: string;
  readonly title: string;
  readonly until: number;
}

export interface RecentWorkspace {
  readonly id: string;
  readonly lastUsedAt: number;
  readonly sessions: number;
}

/** "Ask Outrigger" on a page: what was chosen there, ready for a composer. */
export interface IncomingAsk {
  readonly id: string;
  /** Of the browser's windows, the one it was chosen in: its panel takes it. Null: not known. */
  readonly window: number | null;
  /** Of the submenu; null: as it is. */
  readonly profile: string | null;
  readonly attachments: readonly Attachment[];
  /** What could not be brought along, in words. */
  readonly problem: Fault | null;
  readonly at: number;
}

export interface RetentionNotice {
  /** When they go, at the latest; pinning one keeps it, and so does a larger limit. */
  readonly at: number;
  readonly sessions: readonly { readonly id: string; readonly title: string; readonly bytes: number; readonly updatedAt: number }[];
}

export interface StorageView {
  /** Of all sessions with their attachments. */
  readonly sessionBytes: number;
  readonly sessions: number;
  /** The browser's own count of everything, and what it allows; null: it does not say. */
  readonly usedBytes: number | null;
  readonly quotaBytes: number | null;
  /** The browser will not clear it by itself when the disk is full. */
  readonly persisted: boolean;
}

/** A file, a picture or a piece of a page, on its way in. */
export interface AttachmentDraft {
  readonly kind: AttachmentKind;
  readonly name: string;
  /** Such as `image/png`; empty is looked up by the name. */
  readonly mediaType: string;
  /** The address of the page it is of; null: the person's own. */
  readonly source: string | null;
  /** One of the two. */
  readonly text?: string;
  readonly base64?: string;
}

/** What is in a message box and was not sent. */
export interface Draft {
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

export interface SearchQuery {
  /** Words; the last one may be a beginning. Empty: all that fit the rest. */
  readonly text: string;
  readonly workspace?: string | null;
  readonly status?: SessionStatus;
  readonly tag?: string;
  readonly pinned?: boolean;
  readonly limit?: number;
}

export interface SearchHit {
  readonly session: SessionSummary;
  /** The places where it says so, at most three; none where only the title fits. */
  readonly matches: readonly { readonly turn: string; readonly excerpt: string; /** Places in the excerpt, as [begin, end). */ readonly marks: readonly (readonly [number, number])[] }[];
}

/** The files a turn changed, as the host's journal has them. */
export interface TurnChanges {
  readonly turn: string;
  /** Another one than was asked about where a sub-agent did it. */
  readonly session: string;
  /** `done`, `undone`, `partly`, or `nothing`: commands only, what they changed is not known. */
  readonly state: string;
  readonly commands: number;
  readonly finishedAt: number | null;
  readonly files: readonly ChangedFile[];
  /** Files of others that undos of it replaced, and that can be brought back. */
  readonly replaced: readonly string[];
}

export interface ChangedFile {
  readonly path: string;
  readonly op: string;
  readonly added: number;
  readonly removed: number;
  readonly folder: boolean;
  readonly binary: boolean;
  /** Why there is no diff. */
  readonly missing: string | null;
  /** What became of its line ends, which the hunks do not show. */
  readonly lineEnds: { readonly before: string; readonly after: string } | null;
  readonly hunks: readonly { readonly id: string; readonly old_start: number; readonly old_lines: number; readonly new_start: number; readonly new_lines: number; readonly lines: readonly string[] }[];
}

/** How a background job stands. */
export interface JobState {
  readonly job: string;
  /** The id of its command: older hosts begin the names of jobs anew. */
  readonly command: string;
  readonly outcome: "running" | "exited" | "killed";
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** What it wrote from the position on that was asked for, and where to ask from the next time; null: not asked for. */
  readonly output: { readonly text: string; readonly nextSince: number } | null;
}

/** What a person has before them in one of our pages. */
export interface Looking {
  /** The session on the screen; null: none, or another screen. */
  readonly session: string | null;
  /** Of the browser's windows; null: it does not say. */
  readonly window: number | null;
  /** False: a tab behind another one, or a window that is put away. */
  readonly isVisible: boolean;
}

/** For the panel's sound, and for a line a screen reader reads. */
export interface Attention {
  readonly kind: "needs_you" | "done" | "failed";
  readonly session: string;
  readonly title: string;
  /** The person wants to hear it. */
  readonly sound: boolean;
}

export interface ExportedFile {
  readonly name: string;
  readonly mediaType: string;
  readonly text: string;
}

/** A session and its sub-agents, by the call that each answered: what a page of it is made from, and no more. */
export interface ExportedView {
  readonly view: Pick<SessionView, "title" | "createdAt" | "turns">;
  readonly agents: readonly (readonly [string, Pick<SessionView, "turns">])[];
}

export type KeyState = "plain" | "unlocked" | "locked";

/** A model server that was found on this machine. */
export interface LocalServer {
  readonly name: string;
  readonly baseUrl: string;
  readonly models: readonly string[];
}

/** The answer to a change of what is secret or allowed: what was done, in words. */
export interface Receipt {
  readonly message: string;
}

/** What came of the folder dialog. `unavailable`: there is none here, and `command` does the same in a terminal. */
export type WorkspacePick =
  | { readonly state: "added" | "known" | "cancelled"; readonly workspace: string | null }
  | { readonly state: "unavailable"; readonly reason: string; readonly message: string; readonly hint: string | null; readonly command: string | null };
