// The panel's side of the bus, without React: stores to read and intents to send.
//
// Every store fits `useSyncExternalStore(store.subscribe, store.get)`: `get` returns the same object until something changed.
// The engine's worker may die at any time; the client comes back by itself and goes on after the last event it has.
import { browser } from "wxt/browser";
import type { Fault, StoredEvent } from "../agent/events.ts";
import { emptyLog, foldMore } from "../agent/fold.ts";
import type { SessionLog } from "../agent/log.ts";
import { viewSession } from "../agent/projection.ts";
import type { SessionView } from "../agent/session-view.ts";
import { Store, type Readable } from "../lib/store.ts";
import { PANEL_PORT, type EngineMessage, type IntentName, type Intents, type PanelMessage } from "./bus.ts";
import { persistHere } from "./disk.ts";
import { comeToFront, ownWindow } from "./own-page.ts";
import { originPattern } from "./origins.ts";
import type { AppView, Attention, ConnectionView, Looking } from "./views.ts";

export type SessionListener = (view: SessionView | null) => void;

export interface PanelClient {
  readonly connection: Readable<ConnectionView>;
  /** Null until the engine has answered the first time. */
  readonly app: Readable<AppView | null>;
  /** Why the engine cannot open what is stored; null: nothing is known to be in its way. */
  readonly shut: Readable<Fault | null>;
  /** Null: not loaded yet, or not there (`isGone`). Kept up to date while anyone subscribes. */
  session(id: string): Readable<SessionView | null>;
  /** There is no such session, or no more; it may come (back). */
  isGone(id: string): Readable<boolean>;
  /** The whole session first, then each change. Returns the way to stop. */
  subscribe(session: string, listener: SessionListener): () => void;
  /** Rejects with an `IntentRefused`. */
  send<Name extends IntentName>(name: Name, params: Intents[Name]["params"]): Promise<Intents[Name]["result"]>;
  /** A turn began to wait, ended or failed, in whatever session. Returns the way to stop. */
  onAttention?(listener: (attention: Attention) => void): () => void;
  /** What the person has before them here, told at each change. */
  look(at: Omit<Looking, "window">): void;
  /** Of the browser's windows, the one this page is in; null: it does not say. */
  window(): Promise<number | null>;
  /** This page is the one to turn to a session; it has come to the front. Returns the way to stop. */
  onShow(listener: (session: string) => void): () => void;
  /** Asks the browser for the origin of a model server. Call it synchronously in a click. */
  requestOrigin(baseUrl: string): Promise<boolean>;
  close(): void;
}

/** The engine did not do what was asked; `fault` says why and what would work. */
export class IntentRefused extends Error {
  override readonly name = "IntentRefused";
  constructor(readonly fault: Fault) {
    super(fault.message);
  }
}

/** The part of a `runtime.Port` the client needs; tests bring their own. */
export interface PortLike {
  postMessage(message: unknown): void;
  disconnect(): void;
  readonly onMessage: { addListener(listener: (message: unknown) => void): void };
  readonly onDisconnect: { addListener(listener: () => void): void };
}

export function connectPanel(
  openPort: () => PortLike = () => browser.runtime.connect({ name: PANEL_PORT }) as unknown as PortLike,
): PanelClient {
  return new PortPanelClient(openPort);
}

interface WatchedSession {
  readonly store: Store<SessionView | null>;
  readonly gone: Store<boolean>;
  log: SessionLog;
  watchers: number;
}

/** Why 250 ms: a restarted worker answers in less, and a crash loop must not spin. */
const REOPEN_MS = 250;

class PortPanelClient implements PanelClient {
  readonly connection = new Store<ConnectionView>({ state: "idle" });
  readonly app = new Store<AppView | null>(null);
  readonly shut = new Store<Fault | null>(null);
  readonly #sessions = new Map<string, WatchedSession>();
  readonly #pending = new Map<number, { message: PanelMessage; sent: boolean; resolve(value: unknown): void; reject(error: Error): void }>();
  readonly #attentive = new Set<(attention: Attention) => void>();
  readonly #openPort: () => PortLike;
  readonly #shows = new Set<(session: string) => void>();
  #looking: Looking | null = null;
  #port: PortLike | null = null;
  #nextId = 1;
  #closed = false;

  constructor(openPort: () => PortLike) {
    this.#openPort = openPort;
    this.#open();
  }

  session(id: string): Readable<SessionView | null> {
    const watched = this.#watched(id);
    return {
      get: () => watched.store.get(),
      subscribe: (listener) => this.#watch(id, watched, listener),
    };
  }

  isGone(id: string): Readable<boolean> {
    return this.#watched(id).gone;
  }

  subscribe(session: string, listener: SessionListener): () => void {
    const readable = this.session(session);
    const stop = readable.subscribe(() => listener(readable.get()));
    if (readable.get() !== null) listener(readable.get());
    return stop;
  }

  send<Name extends IntentName>(name: Name, params: Intents[Name]["params"]): Promise<Intents[Name]["result"]> {
    // The one thing that only a page may ask of the browser, and not the worker behind it.
    if (name === "persistStorage" && typeof navigator.storage?.persist === "function") {
      return persistHere(this.app.get()?.memoryOnly ?? false, navigator.storage) as Promise<Intents[Name]["result"]>;
    }
    const id = this.#nextId++;
    const message: PanelMessage = { kind: "intent", id, name, params };
    return new Promise((resolve, reject) => {
      const sent = this.#post(message);
      this.#pending.set(id, { message, sent, resolve: (value) => resolve(value as Intents[Name]["result"]), reject });
    });
  }

  onAttention(listener: (attention: Attention) => void): () => void {
    this.#attentive.add(listener);
    return () => this.#attentive.delete(listener);
  }

  look(at: Omit<Looking, "window">): void {
    void this.window().then((window) => {
      this.#looking = { ...at, window };
      this.#post({ kind: "looking", looking: this.#looking });
    });
  }

  async window(): Promise<number | null> {
    return (await ownWindow())?.id ?? null;
  }

  onShow(listener: (session: string) => void): () => void {
    this.#shows.add(listener);
    return () => this.#shows.delete(listener);
  }

  requestOrigin(baseUrl: string): Promise<boolean> {
    const origin = originPattern(baseUrl);
    return origin === null ? Promise.resolve(false) : browser.permissions.request({ origins: [origin] });
  }

  close(): void {
    this.#closed = true;
    this.#port?.disconnect();
    this.#port = null;
  }

  #open(): void {
    if (this.#closed) return;
    let port: PortLike;
    try {
      port = this.#openPort();
    } catch {
      setTimeout(() => this.#open(), REOPEN_MS);
      return;
    }
    this.#port = port;
    port.onMessage.addListener((message) => this.#receive(message as EngineMessage));
    port.onDisconnect.addListener(() => this.#lost(port));
    for (const pending of this.#pending.values()) {
      if (!pending.sent) pending.sent = this.#post(pending.message);
    }
    for (const [id, watched] of this.#sessions) {
      if (watched.watchers > 0) this.#post({ kind: "subscribe", session: id, after: watched.log.seq });
    }
    if (this.#looking !== null) this.#post({ kind: "looking", looking: this.#looking });
  }

  #lost(port: PortLike): void {
    if (this.#port !== port) return;
    this.#port = null;
    // An intent whose answer was lost may have been done: the log tells, so it is not sent twice.
    for (const [id, pending] of this.#pending) {
      if (!pending.sent) continue;
      this.#pending.delete(id);
      pending.reject(
        new IntentRefused({
          code: "engine_restarted",
          message: "The engine restarted before it answered.",
          hint: "Look at what happened, then try again.",
          retryable: true,
        }),
      );
    }
    setTimeout(() => this.#open(), REOPEN_MS);
  }

  /** False: no port now; it is sent when there is one. */
  #post(message: PanelMessage): boolean {
    if (this.#port === null) return false;
    try {
      this.#port.postMessage(message);
      return true;
    } catch {
      this.#lost(this.#port);
      return false;
    }
  }

  #receive(message: EngineMessage): void {
    switch (message.kind) {
      case "answer":
        this.#take(message.id)?.resolve(message.result);
        return;
      case "refused":
        this.#take(message.id)?.reject(new IntentRefused(message.fault));
        return;
      case "connection":
        this.connection.set(message.view);
        return;
      case "app":
        this.shut.set(null);
        this.app.set(message.view);
        return;
      case "shut":
        this.shut.set(message.fault);
        return;
      case "events":
        this.#fold(message.session, message.events, message.caughtUp);
        return;
      case "attention":
        for (const listener of this.#attentive) listener(message.attention);
        return;
      case "show":
        void comeToFront();
        for (const listener of this.#shows) listener(message.session);
        return;
      case "gone": {
        const watched = this.#sessions.get(message.session);
        if (watched === undefined) return;
        watched.log = emptyLog(message.session);
        watched.store.set(null);
        watched.gone.set(true);
      }
    }
  }

  #take(id: number) {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
  }

  #fold(session: string, events: readonly StoredEvent[], caughtUp: boolean): void {
    const watched = this.#sessions.get(session);
    if (watched === undefined) return;
    const { seq } = watched.log;
    watched.log = foldMore(watched.log, events.filter((stored) => stored.seq > seq));
    // A long log arrives in slices: one picture at its end, instead of a film of its past.
    if (!caughtUp || watched.log.seq === 0) return;
    watched.store.set(viewSession(watched.log));
    watched.gone.set(false);
  }

  #watched(id: string): WatchedSession {
    const known = this.#sessions.get(id);
    if (known !== undefined) return known;
    const made: WatchedSession = { store: new Store<SessionView | null>(null), gone: new Store(false), log: emptyLog(id), watchers: 0 };
    this.#sessions.set(id, made);
    return made;
  }

  #watch(id: string, watched: WatchedSession, listener: () => void): () => void {
    const stop = watched.store.subscribe(listener);
    watched.watchers += 1;
    if (watched.watchers === 1) this.#post({ kind: "subscribe", session: id, after: watched.log.seq });
    let stopped = false;
    return () => {
      if (stopped) return;
      stopped = true;
      stop();
      watched.watchers -= 1;
      if (watched.watchers === 0) this.#post({ kind: "unsubscribe", session: id });
    };
  }
}
