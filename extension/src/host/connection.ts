// The link to the host: when it is wanted, when it is tried again, and what is wrong with it.
//
// `connected` is said after a completed hello and a negotiated session, never before. The open port is also what keeps
// the background alive, so it is held for counted reasons and let go when none is left.
import { Store, type Readable } from "../lib/store.ts";
import type { ConnectionFault, ConnectionView } from "./connection-view.ts";
import { faultOf, HostUnreachable } from "./faults.ts";
import { BACKOFF_FIRST_MS, BACKOFF_LAST_MS, LINGER_MS, LOOK_AGAIN_MS, SETTLED_MS, SILENT_SPAWNS } from "./limits.ts";
import type { Hello } from "../wire/decode.ts";

/** What a connection is made of; `HostClient` in the extension, a fake in tests. */
export interface Link {
  readonly hello: Hello;
  close(): Promise<void>;
}

/** Hosts that were started in a row, in vain, and what was said of the last one. */
export interface StartsInVain {
  readonly count: number;
  readonly detail: string | null;
}

export interface StartMemory {
  /** Null: none, or it cannot be known. */
  read(): Promise<StartsInVain | null>;
  /** Resolves when the next background would read it; never rejects. */
  write(starts: StartsInVain | null): Promise<void>;
}

export interface ConnectionOptions<Client extends Link> {
  /** Rejects with a `HostUnreachable`; calls `lost` when an opened link closes by itself. */
  readonly open: (lost: (fault: ConnectionFault) => void) => Promise<Client>;
  /** Where the starts in vain are counted beyond the life of this background: the browser ends an idle one, and a panel starts the next. */
  readonly starts?: StartMemory;
  /** From 0 to 1; only for the jitter. */
  readonly random?: () => number;
  readonly now?: () => number;
}

/** Why the port is held open. */
export type HoldReason = "panel" | "turn" | "approval";

/** A failure of these kinds is looked at again only while someone looks at the panel. */
const LOOKED_FOR: ReadonlySet<string> = new Set(["host_not_found", "access_forbidden", "host_unstartable", "config_invalid"]);
/** Trying again changes nothing until something is installed or clicked. */
const HOPELESS: ReadonlySet<string> = new Set(["version_skew", "too_many_starts", "bye_caller_not_allowed"]);
const NONE: StartsInVain = { count: 0, detail: null };

export class Connection<Client extends Link> {
  readonly #options: ConnectionOptions<Client>;
  readonly #view = new Store<ConnectionView>({ state: "idle" });
  readonly #holds = new Map<symbol, HoldReason>();
  readonly #waiters = new Set<{ resolve(client: Client): void; reject(error: Error): void }>();
  #client: Client | null = null;
  #attempt = 0;
  #inVain: StartsInVain = NONE;
  /** Until it is taken over what the background before this one counted. */
  #before: Promise<void> | null = null;
  #connectedAt = 0;
  #opening = false;
  /** Until it is tried again. It runs on while nobody holds the link: whoever comes back meanwhile is served by it. */
  #retry: ReturnType<typeof setTimeout> | undefined;
  /** Until the link is let go. */
  #linger: ReturnType<typeof setTimeout> | undefined;
  #generation = 0;

  constructor(options: ConnectionOptions<Client>) {
    this.#options = options;
    if (options.starts !== undefined) this.#before = this.#takeOver(options.starts);
  }

  get view(): Readable<ConnectionView> {
    return this.#view;
  }

  /** The live link, or null. */
  get client(): Client | null {
    return this.#client;
  }

  /** Keeps the link up for a reason, until the returned function is called. */
  hold(reason: HoldReason): () => void {
    const key = Symbol(reason);
    this.#holds.set(key, reason);
    this.#wanted();
    return () => {
      if (this.#holds.delete(key)) this.#unwanted();
    };
  }

  holds(reason: HoldReason): boolean {
    return [...this.#holds.values()].includes(reason);
  }

  /** The live link, waiting for it at most so long. Rejects at once with what cannot mend itself. */
  async ready(timeoutMs: number): Promise<Client> {
    if (this.#client !== null) return this.#client;
    const release = this.hold("turn");
    try {
      return await new Promise<Client>((resolve, reject) => {
        const view = this.#view.get();
        if (view.state === "failed" && !this.#opening && (view.retryAt === null || LOOKED_FOR.has(view.fault.code))) {
          reject(new HostUnreachable(view.fault));
          return;
        }
        const timer = setTimeout(() => {
          this.#waiters.delete(waiter);
          const latest = this.#view.get();
          reject(new HostUnreachable(latest.state === "failed" ? latest.fault : faultOf("hello_timeout")));
        }, timeoutMs);
        const waiter = {
          resolve: (client: Client) => (clearTimeout(timer), resolve(client)),
          reject: (error: Error) => (clearTimeout(timer), reject(error)),
        };
        this.#waiters.add(waiter);
      });
    } finally {
      release();
    }
  }

  /** The person pressed Retry: whatever was counted is forgotten. */
  retry(): void {
    void this.#count(NONE);
    this.#attempt = 0;
    if (this.#client === null && !this.#opening) {
      this.#clearRetry();
      void this.#open();
    }
  }

  #wanted(): void {
    clearTimeout(this.#linger);
    if (this.#client !== null || this.#opening) return;
    const view = this.#view.get();
    if (view.state === "failed" && (HOPELESS.has(view.fault.code) || this.#retry !== undefined)) return;
    void this.#open();
  }

  #unwanted(): void {
    if (this.#holds.size > 0) return;
    clearTimeout(this.#linger);
    this.#linger = setTimeout(() => this.#letGo(), LINGER_MS);
  }

  #letGo(): void {
    if (this.#holds.size > 0 || this.#opening) return;
    const client = this.#client;
    this.#generation += 1;
    this.#client = null;
    void client?.close();
    if (client !== null) this.#view.set({ state: "idle" });
  }

  async #open(): Promise<void> {
    this.#opening = true;
    const generation = (this.#generation += 1);
    if (this.#before !== null) await this.#before;
    if (this.#inVain.count >= SILENT_SPAWNS) {
      this.#opening = false;
      return this.#failed(faultOf("too_many_starts", { detail: this.#inVain.detail }));
    }
    const before = this.#view.get();
    // While a missing host is looked for, the explanation stays on screen instead of flickering.
    if (before.state !== "failed" || !LOOKED_FOR.has(before.fault.code)) this.#view.set({ state: "connecting", attempt: this.#attempt + 1 });
    // It may be lost between its opening and our knowing of it: then it was never connected.
    let isKnown = false;
    let early: ConnectionFault | null = null;
    try {
      const client = await this.#options.open((fault) => {
        if (isKnown) this.#lost(generation, fault);
        else early = fault;
      });
      isKnown = true;
      if (early !== null && generation === this.#generation) return await this.#startedInVain(early);
      this.#opening = false;
      if (generation !== this.#generation) {
        void client.close();
        return;
      }
      this.#connected(client);
    } catch (error) {
      const fault =
        error instanceof HostUnreachable ? error.fault : faultOf("host_garbled", { detail: error instanceof Error ? error.message : String(error) });
      await this.#startedInVain(fault);
    }
  }

  async #takeOver(starts: StartMemory): Promise<void> {
    const told = await starts.read().catch(() => null);
    // Whoever pressed Retry meanwhile wants none of it.
    if (this.#before === null) return;
    this.#before = null;
    if (told === null) return;
    this.#inVain = told;
    this.#attempt = told.count;
  }

  /** A host that was started and was lost before it was of use counts; one that was never started, or that said why it cannot be used, does not. */
  async #startedInVain(fault: ConnectionFault): Promise<void> {
    const counts = !LOOKED_FOR.has(fault.code) && !HOPELESS.has(fault.code);
    // Before anything is said of it: whoever reads that no more is tried may end this background at once.
    if (counts) await this.#count({ count: this.#inVain.count + 1, detail: [fault.message, fault.detail].filter(Boolean).join(" ") });
    this.#opening = false;
    const { count, detail } = this.#inVain;
    this.#failed(counts && count >= SILENT_SPAWNS ? faultOf("too_many_starts", { detail }) : fault);
  }

  /** Null: there is nothing to wait for. */
  #count(inVain: StartsInVain): Promise<void> | null {
    const isNews = this.#before !== null || inVain.count !== this.#inVain.count;
    this.#before = null;
    this.#inVain = inVain;
    return isNews ? (this.#options.starts?.write(inVain === NONE ? null : inVain) ?? null) : null;
  }

  #connected(client: Client): void {
    this.#client = client;
    this.#connectedAt = this.#now();
    void this.#count(NONE);
    this.#clearRetry();
    const { host, instance_id, pid, protocol, config } = client.hello;
    this.#view.set({
      state: "connected",
      host: { version: host.version, build: host.build, instance: instance_id, pid, protocol: protocol.chosen, configPath: config.path ?? "" },
    });
    for (const waiter of this.#waiters) waiter.resolve(client);
    this.#waiters.clear();
    if (this.#holds.size === 0) this.#unwanted();
  }

  #lost(generation: number, fault: ConnectionFault): void {
    if (generation !== this.#generation || this.#client === null) return;
    this.#client = null;
    // One that dies over and over as soon as it is asked something is not started twice a second for ever.
    if (this.#now() - this.#connectedAt >= SETTLED_MS) this.#attempt = 0;
    this.#failed(fault);
  }

  #failed(fault: ConnectionFault): void {
    this.#attempt += 1;
    const delay = this.#delay(fault);
    this.#view.set({ state: "failed", fault, retryAt: delay === null ? null : this.#now() + delay });
    this.#clearRetry();
    if (delay !== null) {
      this.#retry = setTimeout(() => {
        this.#retry = undefined;
        if (this.#holds.size > 0) void this.#open();
      }, delay);
    }
    if (delay === null || LOOKED_FOR.has(fault.code)) {
      for (const waiter of this.#waiters) waiter.reject(new HostUnreachable(fault));
      this.#waiters.clear();
    }
  }

  /** Null: nothing more by itself. */
  #delay(fault: ConnectionFault): number | null {
    if (HOPELESS.has(fault.code) || this.#holds.size === 0) return null;
    if (LOOKED_FOR.has(fault.code)) return this.holds("panel") ? LOOK_AGAIN_MS : null;
    const full = Math.min(BACKOFF_LAST_MS, BACKOFF_FIRST_MS * 2 ** (this.#attempt - 1));
    // Half fixed, half random: never at once, never all profiles together.
    return full / 2 + (full / 2) * (this.#options.random ?? Math.random)();
  }

  #now(): number {
    return (this.#options.now ?? Date.now)();
  }

  #clearRetry(): void {
    clearTimeout(this.#retry);
    this.#retry = undefined;
  }
}
