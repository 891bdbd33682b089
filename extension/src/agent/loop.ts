// Drives one session: runs what `step.ts` says is due, and appends what happened. The only writer of its log.
//
// Every event is stored before it is folded, so nothing is done that a restart would not know of.
import { decodeTime } from "ulid";
import { newUlid } from "../lib/ids.ts";
import type { Storage } from "../storage/storage.ts";
import { isBoundary, type AgentEvent, type Fault, type StoredEvent } from "./events.ts";
import { foldEvent } from "./fold.ts";
import { foldStored } from "./sound.ts";
import { findCall, type CallLog, type SessionLog } from "./log.ts";
import { ENGINE_INSTANCE } from "./engine-plan.ts";
import { isAdmissible } from "./admissible.ts";
import { limitsOf } from "./caps.ts";
import { APPROVAL_HOLD_MS, STOP_WAIT_MS } from "./limits.ts";
import { runCompaction } from "./run-compaction.ts";
import { runModelStep } from "./run-model-step.ts";
import { refreshPlan, runTool, settleStopped } from "./run-tool.ts";
import { retryDelay } from "./retry-delay.ts";
import { activeTurn, due, type Effect } from "./step.ts";
import { spentBy } from "./spent.ts";
import { summarise } from "./summary.ts";
import { toldModel } from "./told-model.ts";
import type { EngineWorld } from "./world.ts";

export class SessionLoop {
  readonly session: string;
  readonly #storage: Storage;
  readonly #world: EngineWorld;
  readonly #onEvents: (events: readonly StoredEvent[], log: SessionLog) => void;
  readonly #running = new Map<string, AbortController>();
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();
  readonly #settled = new Set<() => void>();
  readonly #naps = new Set<() => void>();
  #log: SessionLog;
  #writing: Promise<unknown> = Promise.resolve();
  #closed = false;
  #held: (() => void) | null = null;
  #heldFor: "turn" | "approval" | null = null;

  private constructor(storage: Storage, world: EngineWorld, log: SessionLog, onEvents: (events: readonly StoredEvent[], log: SessionLog) => void) {
    this.session = log.session;
    this.#storage = storage;
    this.#world = world;
    this.#log = log;
    this.#onEvents = onEvents;
  }

  static async load(
    session: string,
    storage: Storage,
    world: EngineWorld,
    onEvents: (events: readonly StoredEvent[], log: SessionLog) => void,
  ): Promise<SessionLoop> {
    return new SessionLoop(storage, world, foldStored(session, await storage.readEvents(session, 0)), onEvents);
  }

  get log(): SessionLog {
    return this.#log;
  }

  get world(): EngineWorld {
    return this.#world;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Stores, folds, tells, and does what is due then. Calls are carried out in order. */
  append(...events: readonly AgentEvent[]): Promise<void> {
    return this.appendIf(() => events);
  }

  /** As `append`, with events made from the log as it is when their turn comes; null appends nothing. */
  appendIf(make: (log: SessionLog) => readonly AgentEvent[] | null): Promise<void> {
    const mine = this.#writing.then(async () => {
      if (this.#closed) return;
      const stored = this.#seal(make(this.#log) ?? []);
      if (stored.length === 0) return;
      const next = stored.reduce(foldEvent, this.#log);
      await this.#storage.append(stored, summarise(next), stored.some(({ event }) => isBoundary(event)), spentBy(next, stored));
      this.#log = next;
      this.#onEvents(stored, next);
      for (const listener of [...this.#settled]) listener();
      this.pump();
    });
    this.#writing = mine.catch((error: unknown) => this.#fail(error));
    return mine;
  }

  /** As `append`, for what nobody waits for. A log that cannot be written ends the loop either way. */
  note(...events: readonly AgentEvent[]): void {
    this.append(...events).catch(() => {});
  }

  /** Starts what is due and not yet under way. */
  pump(): void {
    if (this.#closed) return;
    this.#endUnwanted();
    const effects = due(this.#log);
    this.#hold();
    for (const effect of effects) {
      if (this.#running.has(effect.key)) continue;
      if (effect.kind === "ask" && !this.#isStale(effect.call)) continue;
      this.#run(effect);
    }
  }

  /** The effect with this key is under way. */
  isRunning(key: string): boolean {
    return this.#running.has(key);
  }

  abort(key: string): void {
    this.#running.get(key)?.abort();
  }

  /** Resolves when the log fits, or the time is over. */
  async until(fits: (log: SessionLog) => boolean, timeoutMs: number): Promise<boolean> {
    if (fits(this.#log)) return true;
    return new Promise((resolve) => {
      const done = (result: boolean) => {
        clearTimeout(timer);
        this.#settled.delete(check);
        resolve(result);
      };
      const check = () => {
        if (fits(this.#log)) done(true);
      };
      const timer = setTimeout(() => done(false), timeoutMs);
      this.#settled.add(check);
    });
  }

  /** Whoever waits in `until` looks again. */
  wake(): void {
    for (const listener of [...this.#settled]) listener();
  }

  /** Nothing more is written. What runs in the host goes on there, and is asked for when the session is taken up again. */
  close(): void {
    this.#closed = true;
    for (const controller of this.#running.values()) controller.abort();
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#held?.();
    this.#held = null;
    this.wake();
  }

  /** Resolves when the time is over, is no longer waited for, or the thing is no longer wanted. */
  nap(waitMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        this.#naps.delete(done);
        resolve();
      };
      const timer = setTimeout(done, waitMs);
      this.#naps.add(done);
      signal.addEventListener("abort", done);
      if (signal.aborted) done();
    });
  }

  /** Retry now: what waits for its time is due at once. True: something did. */
  hurry(): boolean {
    let waited = this.#naps.size > 0;
    for (const wake of [...this.#naps]) wake();
    for (const effect of due(this.#log)) {
      if (effect.kind !== "retry_at") continue;
      const timer = this.#timers.get(effect.key);
      if (timer === undefined) continue;
      clearTimeout(timer);
      this.#timers.delete(effect.key);
      this.#fire(effect.key, () => this.append(effect.event));
      waited = true;
    }
    return waited;
  }

  #at({ key, at }: { readonly key: string; readonly at: number }, act: () => Promise<void>): void {
    // A clock that went back since must not make it longer than it was meant to be.
    const wait = Math.max(0, at - Math.max(this.#world.now(), this.#log.updatedAt));
    const ring = () => {
      this.#timers.delete(key);
      this.#fire(key, act);
    };
    this.#timers.set(key, setTimeout(ring, wait));
  }

  #fire(key: string, act: () => Promise<void>): void {
    act()
      .catch(() => {})
      .finally(() => this.#running.delete(key));
  }

  #run(effect: Effect): void {
    const controller = new AbortController();
    this.#running.set(effect.key, controller);
    void this.#carryOut(effect, controller.signal)
      .catch((error: unknown) => this.#faulty(effect, error))
      .finally(() => {
        if (this.#timers.has(effect.key)) return;
        this.#running.delete(effect.key);
        this.wake();
        // An effect that changed nothing (a lost connection) is due again; one that did was pumped by its append.
        this.pump();
      });
  }

  async #carryOut(effect: Effect, signal: AbortSignal): Promise<void> {
    switch (effect.kind) {
      case "append":
        // What was written before its turn came may have made it wrong: a step that has begun meanwhile takes no word from between the steps.
        return this.appendIf((log) => (due(log).some(({ key }) => key === effect.key) ? effect.events : null));
      case "begin_turn": {
        const config = this.#log.config;
        return this.append({ type: "TurnStart", turn: effect.turn.id, message: effect.turn.id, config, ...(await toldModel(this.#world, config.model)) });
      }
      case "call_model":
        return runModelStep(this, effect.turn, effect.step, signal);
      case "stop_model": {
        this.abort(`model:${effect.step.id}`);
        return this.append({ type: "StreamCut", step: effect.step.id, fault: STOPPED, retryAfterMs: null });
      }
      case "schedule_retry": {
        const delay = retryDelay(effect.attempt, effect.retryAfterMs, this.#world.random(), limitsOf(effect.turn));
        return this.append({
          type: "RetryScheduled",
          step: effect.step.id,
          attempt: effect.attempt,
          at: this.#world.now() + delay,
          fault: effect.fault,
        });
      }
      case "retry_at": {
        this.#at(effect, () => this.append(effect.event));
        return;
      }
      case "give_up_at":
        this.#at(effect, () => this.appendIf((log) => (due(log).some(({ key }) => key === effect.key) ? effect.events : null)));
        return;
      case "compact":
        return runCompaction(this, effect.compaction, effect.cut, effect.by, signal);
      case "call_tool":
        return runTool(this, effect.turn, effect.call.id, signal);
      case "ask":
        return refreshPlan(this, effect.turn, effect.call.id);
      case "settle_stopped":
        return settleStopped(this, effect.turn, effect.call.id, STOP_WAIT_MS);
    }
  }

  /** A fault of our own must end in words and in a state that Retry can go on from, never in silence. */
  async #faulty(effect: Effect, error: unknown): Promise<void> {
    if (this.#closed) return;
    const fault: Fault = {
      code: "internal",
      message: `The engine failed: ${error instanceof Error ? error.message : String(error)}`,
      hint: "Press Retry. If it happens again, export the session and report it.",
      retryable: true,
    };
    await this.appendIf((log) => {
      const turn = activeTurn(log);
      if (turn === undefined) return null;
      const last = turn.steps.at(-1);
      const cut: AgentEvent[] = last?.state === "streaming" && effect.kind === "call_model" ? [{ type: "StreamCut", step: last.id, fault: { ...fault, retryable: false }, retryAfterMs: null }] : [];
      return [...cut, { type: "TurnEnd", turn: turn.id, outcome: "failed", fault }];
    });
  }

  /** The log could not be written: stop, rather than go on with what nobody will remember. */
  #fail(error: unknown): void {
    this.close();
    this.#world.onBroken(this.session, error);
  }

  /** Gives events their place, and leaves out what the log has already decided: a second result, an end after the end. */
  #seal(events: readonly AgentEvent[]): readonly StoredEvent[] {
    const now = this.#world.now();
    const stored: StoredEvent[] = [];
    let log = this.#log;
    for (const event of events) {
      if (!isAdmissible(log, event)) continue;
      const id = newUlid(Math.max(now, log.lastEvent === null ? 0 : decodeTime(log.lastEvent)));
      const next: StoredEvent = { session: this.session, seq: log.seq + 1, id, parent: log.lastEvent, at: now, event };
      stored.push(next);
      log = foldEvent(log, next);
    }
    return stored;
  }

  /** Its plan was sealed by a process of the host that is gone. */
  #isStale(call: CallLog): boolean {
    const host = this.#world.host();
    return host !== null && call.asked?.instance !== ENGINE_INSTANCE && host.instance !== call.asked?.instance;
  }

  /** A summary that was being made when Stop was pressed is asked for no longer. */
  #endUnwanted(): void {
    const turn = activeTurn(this.#log);
    if (turn === undefined ? this.#log.compactRequested !== null : !turn.stopping) return;
    for (const [key, controller] of this.#running) if (key.startsWith("compact:")) controller.abort();
  }

  /** The background stays awake while something is owed; a card that waits for a person holds it for a while. */
  #hold(): void {
    const wanted = this.#holdReason();
    if (this.#heldFor === wanted) return;
    const before = this.#held;
    this.#held = wanted === null ? null : this.#world.hold(wanted);
    this.#heldFor = wanted;
    before?.();
  }

  #holdReason(): "turn" | "approval" | null {
    const effects = due(this.#log);
    if (effects.length === 0) return null;
    const asked = effects.flatMap((effect) => (effect.kind === "ask" ? [effect.call.asked?.at ?? 0] : []));
    if (asked.length < effects.length) return "turn";
    return this.#world.now() - Math.max(...asked) < APPROVAL_HOLD_MS ? "approval" : null;
  }

  /** The call as it is now. */
  call(id: string) {
    return findCall(this.#log, id);
  }
}

const STOPPED: Fault = { code: "cancelled", message: "Stopped by you.", hint: null, retryable: false };
