// What the panel shows beside a session: the connection, the lists, the models.
import type { Fault, Mode, SessionConfig, SessionOrigin } from "../agent/events.ts";
import type { ProviderKind } from "../llm/providers.ts";
import type { SessionStatus } from "../agent/session-view.ts";

export type { ConnectionFault, ConnectionView, HostView } from "../host/connection-view.ts";

export interface SessionSummary {
  readonly id: string;
  readonly title: string;
  readonly status: SessionStatus;
  readonly workspace: string | null;
  readonly model: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Approvals that wait. */
  readonly waiting: number;
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
  /** How keys are kept: as they are, sealed and open for now, sealed and locked. */
  readonly keys?: KeyState;
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
