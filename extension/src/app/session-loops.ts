// The sessions that are loaded: each under its lock, with its one loop, mended when it is taken up.
import type { AgentEvent, StoredEvent } from "../agent/events.ts";
import type { SessionLog } from "../agent/log.ts";
import { SessionLoop } from "../agent/loop.ts";
import { recover } from "../agent/recover.ts";
import type { EngineWorld } from "../agent/world.ts";
import type { Storage } from "../storage/storage.ts";
import { IntentFault } from "./intent-fault.ts";

export interface SessionLoopsOptions {
  readonly storage: Storage;
  readonly world: EngineWorld;
  /** Null: another context of this browser is the writer of this session. */
  readonly lock: (session: string) => Promise<(() => void) | null>;
  /** New events of a session, after they were stored. */
  readonly onEvents: (session: string, events: readonly StoredEvent[], log: SessionLog) => void;
  /** The list of sessions changed. */
  readonly onSessions: () => void;
}

export class SessionLoops {
  readonly #options: SessionLoopsOptions;
  readonly #known = new Map<string, Promise<{ readonly loop: SessionLoop; readonly unlock: () => void }>>();

  constructor(options: SessionLoopsOptions) {
    this.#options = options;
  }

  /** Something outside changed: what was waiting for it may be due. */
  async pump(): Promise<void> {
    for (const entry of this.#known.values()) (await entry.catch(() => null))?.loop.pump();
  }

  async existing(session: string): Promise<SessionLoop> {
    const loop = await this.take(session);
    if (loop.log.seq === 0) {
      await this.letGo(session);
      throw new IntentFault({ code: "no_session", message: "This session does not exist any more.", hint: "Choose another one.", retryable: false });
    }
    return loop;
  }

  async take(session: string): Promise<SessionLoop> {
    let entry = this.#known.get(session);
    if (entry === undefined) {
      entry = this.#load(session);
      this.#known.set(session, entry);
      entry.catch(() => this.#known.delete(session));
    }
    const { loop } = await entry;
    if (!loop.closed) return loop;
    await this.letGo(session);
    return this.take(session);
  }

  async #load(session: string) {
    const unlock = await this.#options.lock(session);
    if (unlock === null) {
      throw new IntentFault({ code: "locked", message: "Another window's engine works on this session.", hint: "Close it there first.", retryable: true });
    }
    try {
      const loop = await SessionLoop.load(session, this.#options.storage, this.#options.world, (events, log) => {
        this.#options.onEvents(session, events, log);
        if (events.some(({ event }) => CHANGES_LIST.has(event.type))) this.#options.onSessions();
      });
      await loop.append(...recover(loop.log, this.#options.world.now()));
      return { loop, unlock };
    } catch (error) {
      unlock();
      throw error;
    }
  }

  async letAllGo(): Promise<void> {
    await Promise.all([...this.#known.keys()].map((session) => this.letGo(session)));
  }

  async letGo(session: string): Promise<void> {
    const entry = await this.#known.get(session)?.catch(() => null);
    this.#known.delete(session);
    entry?.loop.close();
    entry?.unlock();
  }
}

/** Events after which a row of the list reads differently. */
const CHANGES_LIST: ReadonlySet<AgentEvent["type"]> = new Set([
  "SessionStarted",
  "SessionConfigured",
  "TitleSet",
  "SessionPinned",
  "SessionTagged",
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
