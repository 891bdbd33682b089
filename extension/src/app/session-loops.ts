// The sessions that are loaded: each under its lock, with its one loop, mended when it is taken up.
import type { AgentEvent, StoredEvent } from "../agent/events.ts";
import type { SessionLog } from "../agent/log.ts";
import { SessionLoop } from "../agent/loop.ts";
import { lostRequests } from "../agent/lost-request.ts";
import { recover } from "../agent/recover.ts";
import { activeTurn, due } from "../agent/step.ts";
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
  /** A session is there, or the host is again: what is half done beside its loop can be finished. */
  readonly onAwake?: (log: SessionLog) => void;
  /** What others have decided about a session that is taken up, and that may not have reached it. */
  readonly owed?: (log: SessionLog) => Promise<readonly AgentEvent[]>;
}

/** Longer than anything takes that has a loop in its hand. */
const IDLE_MS = 10 * 60_000;

export class SessionLoops {
  readonly #options: SessionLoopsOptions;
  readonly #known = new Map<string, Promise<{ readonly loop: SessionLoop; readonly unlock: () => void }>>();

  readonly #used = new Map<string, number>();

  constructor(options: SessionLoopsOptions) {
    this.#options = options;
  }

  /** Something outside changed: what was waiting for it may be due. */
  async pump(): Promise<void> {
    for (const entry of this.#known.values()) {
      const found = await entry.catch(() => null);
      found?.loop.pump();
      if (found !== null) this.#options.onAwake?.(found.loop.log);
    }
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
    this.#used.set(session, this.#options.world.now());
    void this.#letIdleGo();
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
      const { world } = this.#options;
      const waitedFor = activeTurn(loop.log) === undefined ? new Set<string>() : await this.#waitedFor(session);
      const recovered = recover(loop.log, world.now(), waitedFor);
      for (const trace of lostRequests(loop.log, recovered)) world.trace(trace);
      await loop.append(...recovered, ...(await this.#options.owed?.(loop.log) ?? []));
      this.#options.onAwake?.(loop.log);
      return { loop, unlock };
    } catch (error) {
      unlock();
      throw error;
    }
  }

  /** The calls of a session whose agents wait for a person. */
  async #waitedFor(session: string): Promise<ReadonlySet<string>> {
    const children = await this.#options.storage.listChildren(session);
    return new Set(children.flatMap(({ origin, status }) => (status === "needs_you" && origin?.kind === "subagent" ? (origin.by ?? []) : [])));
  }

  /** What nobody has asked for in a while and owes nothing need not be in memory: its log has it all. */
  async #letIdleGo(): Promise<void> {
    const before = this.#options.world.now() - IDLE_MS;
    const idle = [...this.#known].filter(([session]) => (this.#used.get(session) ?? 0) < before);
    for (const [session, entry] of idle) {
      const found = await entry.catch(() => null);
      // From here to the end nothing is waited for: who asks for it now gets either this one, whole, or a new one.
      const isIdle = found !== null && this.#known.get(session) === entry && (this.#used.get(session) ?? 0) < before;
      if (!isIdle || activeTurn(found.loop.log) !== undefined || due(found.loop.log).length > 0 || found.loop.log.undoing !== null) continue;
      this.#known.delete(session);
      this.#used.delete(session);
      found.loop.close();
      found.unlock();
    }
  }

  async letAllGo(): Promise<void> {
    await Promise.all([...this.#known.keys()].map((session) => this.letGo(session)));
  }

  async letGo(session: string): Promise<void> {
    const entry = await this.#known.get(session)?.catch(() => null);
    this.#known.delete(session);
    this.#used.delete(session);
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
