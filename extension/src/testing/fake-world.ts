// An engine with a fake host and a scripted model, in memory: for unit tests only.
import { newUlid } from "../lib/ids.ts";
import type { StoredEvent } from "../agent/events.ts";
import { foldEvents } from "../agent/fold.ts";
import { foldStored } from "../agent/sound.ts";
import type { SessionLog } from "../agent/log.ts";
import { summarise } from "../agent/summary.ts";
import type { EngineWorld, HelperTask } from "../agent/world.ts";
import { Engine, type EngineOptions } from "../app/engine.ts";
import { SettingsBook } from "../app/settings.ts";
import { asToolHost } from "../app/tool-host.ts";
import { RuleBook } from "../app/rule-book.ts";
import { Connection } from "../host/connection.ts";
import { faultOf } from "../host/faults.ts";
import { HostClient } from "../host/host-client.ts";
import { PortTransport, type NativePort } from "../host/port-transport.ts";
import type { Trace } from "../agent/trace.ts";
import { UNKNOWN_FACTS, type ModelFacts } from "../llm/model-facts.ts";
import type { Model } from "../llm/model.ts";
import { MemoryStorage } from "../storage/memory-storage.ts";
import type { Storage } from "../storage/storage.ts";
import { FakeHost } from "./fake-host.ts";

/** What a world and its drills need of a host: the fake one, or the real binary. */
export interface WorldHost {
  open(): NativePort;
  /** As `kill -9`. */
  kill(): void;
  /** As when the browser or its worker dies. */
  closePort(): void;
  /** How often each effect was really had. */
  readonly effects: ReadonlyMap<string, number>;
}

export class FakeWorld<Host extends WorldHost = FakeHost> {
  readonly host: Host;
  readonly storage: Storage;
  readonly engine: Engine;
  readonly connection: Connection<HostClient>;
  readonly settings: SettingsBook;
  /** What is known of the model. */
  facts: ModelFacts = UNKNOWN_FACTS;
  readonly factsOf = new Map<string, ModelFacts>();
  /** Others than the one it was made with, by id. */
  readonly models = new Map<string, Model>();
  /** What the person chose for things beside a conversation, by id. */
  readonly helpers: { -readonly [Task in HelperTask]?: string } = {};
  readonly traces: Trace[] = [];
  /** How far the clock was moved. */
  clockMs = 0;
  /** Names a conversation after its first turn. */
  title: (log: SessionLog) => Promise<string | null> = async () => null;
  /** What the engine has of a session, after each change. */
  onLog: (log: SessionLog) => void = () => {};
  /** A session could not be written down. */
  onBroken: (error: unknown) => void = (error) => {
    throw error;
  };
  /** Whether it is the writer of a session. */
  lock: EngineOptions["lock"] = async () => () => {};
  /** When the other writer of a session is gone. */
  free: EngineOptions["free"] = () => new Promise(() => {});
  /** A profile was saved or removed. */
  onProfiles: () => void = () => {};
  /** Of the browser. */
  permitsOrigin: EngineWorld["isOriginPermitted"] = async () => true;
  /** The web. */
  pages: EngineWorld["fetchPage"] = async () => ({ kind: "failed", code: "unreachable", message: "there is no web here", hint: null });
  readonly #listeners = new Set<() => void>();
  #isDead = false;

  constructor(model: Model, host: Host = new FakeHost() as WorldHost as Host, storage: Storage = new MemoryStorage(), onWritten: (count: number) => void = () => {}) {
    this.host = host;
    let written = 0;
    this.storage = storage;
    this.connection = new Connection<HostClient>({
      random: () => 0,
      open: async (lost) => {
        if (this.#isDead) await new Promise<never>(() => {});
        const transport = new PortTransport({ open: () => host.open(), clientVersion: "0.0.0", extensionId: "test" });
        return HostClient.connect(transport, "0.0.0", () => lost(transport.lost ?? faultOf("connection_lost")));
      },
    });
    const book = new RuleBook(storage);
    this.settings = new SettingsBook(storage);
    const world: EngineWorld = {
      host: () => (this.connection.client === null ? null : asToolHost(this.connection.client, async () => WORKSPACE)),
      hostReady: async (timeoutMs) => asToolHost(await this.connection.ready(timeoutMs), async () => WORKSPACE),
      hold: (reason) => this.connection.hold(reason),
      model: async (id) => this.models.get(id) ?? model,
      modelLabel: async (id) => (this.models.get(id) ?? model).label,
      modelFacts: async (id) => this.factsOf.get(id) ?? this.facts,
      tokenFactor: (id) => this.engine.tokenFactor(id),
      models: async () => [{ id: "demo", label: model.label }, ...[...this.models].map(([id, { label }]) => ({ id, label }))],
      helperModel: async (task) => this.helpers[task] ?? null,
      trace: (trace) => this.traces.push(trace),
      agents: {
        ensure: (child) => this.engine.children.ensure(child),
        ended: (session, signal) => this.engine.children.ended(session, signal),
        stop: (session) => this.engine.children.stop(session),
      },
      schedules: { has: (id) => this.engine.schedules.has(id), save: (draft) => this.engine.schedules.save(draft), beat: (session, profile, config) => this.engine.schedules.beat(session, profile, config) },
      profiles: { list: () => this.engine.profiles.list(), save: (profile) => this.engine.profiles.save(profile) },
      attachment: (id) => this.engine.attachments.content(id),
      keepPictures: (session, name, pictures) => this.engine.attachments.keep(session, name, pictures),
      isOriginPermitted: (address) => this.permitsOrigin(address),
      fetchPage: (url, signal, timeoutMs) => this.pages(url, signal, timeoutMs),
      strangerWorkspaces: () => this.settings.get().strangerWorkspaces,
      rules: () => book.list(),
      ruleUsed: (id) => book.used(id, Date.now()),
      now: () => Date.now() + this.clockMs,
      random: () => 0,
      newId: () => newUlid(),
      onBroken: (_session, error) => this.onBroken(error),
    };
    this.engine = new Engine({
      storage,
      book,
      settings: this.settings,
      title: (log) => this.title(log),
      world,
      lock: (session) => this.lock(session),
      free: (session) => this.free(session),
      onProfiles: () => this.onProfiles(),
      onEvents: (_session, events, log) => {
        written += events.length;
        this.onLog(log);
        onWritten(written);
        for (const listener of this.#listeners) listener();
      },
      onSessions: () => {},
    });
    this.connection.view.subscribe(() => {
      if (this.connection.view.get().state === "connected") void this.engine.pump();
    });
    this.connection.hold("panel");
  }

  /** An engine that finds this log after a restart. */
  static async restored<Host extends WorldHost = FakeHost>(events: readonly StoredEvent[], model: Model, host: Host = new FakeHost() as WorldHost as Host): Promise<FakeWorld<Host>> {
    const storage = new MemoryStorage();
    const session = events[0]?.session ?? "";
    await storage.append(events, summarise(foldEvents(session, events)));
    const world = new FakeWorld<Host>(model, host, storage);
    await world.engine.start();
    return world;
  }

  /** As when the browser stops the worker: nothing of this engine reaches anyone any more. Its storage must be dead too. */
  die(): void {
    this.#isDead = true;
    this.host.closePort();
  }

  async log(session: string): Promise<SessionLog> {
    return foldStored(session, await this.storage.readEvents(session, 0));
  }

  /** Resolves with the log as soon as it fits. */
  async until(session: string, fits: (log: SessionLog) => boolean, what = "the expected state"): Promise<SessionLog> {
    const end = Date.now() + 60_000;
    for (;;) {
      const log = await this.log(session);
      if (fits(log)) return log;
      if (Date.now() > end) throw new Error(`waited in vain for ${what}: ${JSON.stringify(log.turns, null, 1).slice(0, 4_000)}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(done, 50);
        const listeners = this.#listeners;
        function done() {
          clearTimeout(timer);
          listeners.delete(done);
          resolve();
        }
        listeners.add(done);
      });
    }
  }

  async ended(session: string): Promise<SessionLog> {
    return this.until(session, (log) => (log.turns.at(-1)?.outcome ?? null) !== null, "the end of the turn");
  }
}

const WORKSPACE = { id: "app", path: "/home/ada/src/app" };
