// Where panels wait for the engine. While the store cannot be opened they hear why, and what they ask for is refused with it:
// an engine that knows nothing of what is stored would call all of it gone.
import type { Fault } from "../agent/events.ts";
import { isDiskFull } from "../lib/is-disk-full.ts";
import { StoreShut } from "../storage/store-shut.ts";
import { bufferPort, type BufferedPort } from "./buffer-port.ts";
import type { EngineMessage, PanelMessage } from "./bus.ts";
import type { PortLike } from "./panel-client.ts";
import { shutFault } from "./storage-faults.ts";
import type { ConnectionView } from "./views.ts";

export interface LobbyOptions {
  readonly connection: () => ConnectionView;
  readonly everyMs?: number;
}

/** Whoever makes room need not press anything: it is looked for that often. */
const EVERY_MS = 3_000;

export class Lobby {
  readonly #options: LobbyOptions;
  readonly #waiting = new Set<BufferedPort>();
  /** Null: the engine is on its way. */
  #fault: Fault | null = null;
  #hurry: () => void = () => {};

  constructor(options: LobbyOptions) {
    this.#options = options;
  }

  /** What it says waits until somebody listens. */
  admit(port: PortLike): PortLike {
    const early = bufferPort(port);
    this.#waiting.add(early);
    port.onDisconnect.addListener(() => this.#waiting.delete(early));
    // Whoever asks does not wait for the next time.
    port.onMessage.addListener((message) => isIntent(message) && this.#hurry());
    if (this.#fault !== null) this.#tell(early, this.#fault);
    return early;
  }

  /** Does it as soon as the store can be opened. */
  async until<Result>(work: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        const result = await work();
        this.#fault = null;
        return result;
      } catch (error) {
        const shut = error instanceof StoreShut ? error : isDiskFull(error) ? new StoreShut(true, error) : null;
        if (shut === null) throw error;
        this.#refuse(shutFault(shut));
        await this.#pause();
      }
    }
  }

  #refuse(fault: Fault): void {
    const isNews = this.#fault?.message !== fault.message;
    this.#fault = fault;
    for (const port of this.#waiting) {
      if (isNews) this.#tell(port, fault);
      for (const { id } of port.withdraw(isIntent)) post(port, { kind: "refused", id, fault });
    }
  }

  #tell(port: BufferedPort, fault: Fault): void {
    post(port, { kind: "connection", view: this.#options.connection() });
    post(port, { kind: "shut", fault });
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#options.everyMs ?? EVERY_MS);
      this.#hurry = () => (clearTimeout(timer), resolve());
    });
  }
}

function isIntent(message: unknown): message is Extract<PanelMessage, { kind: "intent" }> {
  return (message as PanelMessage).kind === "intent";
}

function post(port: PortLike, message: EngineMessage): void {
  try {
    port.postMessage(message);
  } catch {
    // The panel closed a moment ago.
  }
}
