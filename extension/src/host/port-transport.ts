// MCP over a native port: chunks below, hello before anything else, bye noticed.
//
// `start` resolves only after a completed hello, so that a missing host or a version skew is a sentence and not a failed handshake.
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { decodeBye, decodeHello, decodeRpcError, decodeVersionSkew, WireError, type Bye, type Hello } from "../wire/decode.ts";
import { framesOf, Joiner } from "./chunks.ts";
import { faultOf, faultOfBye, faultOfConfig, faultOfDisconnect, faultOfSkew, HostUnreachable } from "./faults.ts";
import { HELLO_TIMEOUT_MS, PROTOCOL } from "./limits.ts";
import type { ConnectionFault } from "./connection-view.ts";

/** What the transport needs of a `runtime.Port`; a test brings its own. */
export interface NativePort {
  postMessage(message: unknown): void;
  disconnect(): void;
  onMessage(listener: (message: unknown) => void): void;
  /** `error` is the browser's text, or null where it gives none. */
  onDisconnect(listener: (error: string | null) => void): void;
}

export interface PortTransportOptions {
  readonly open: () => NativePort;
  readonly clientVersion: string;
  readonly extensionId: string;
}

const HELLO_ID = "hello";
const CONFIG_INVALID = -32051;
const VERSION_SKEW = -32050;

export class PortTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport["onmessage"];

  readonly #options: PortTransportOptions;
  readonly #joiner: Joiner;
  #port: NativePort | null = null;
  #hello: Hello | null = null;
  #helloWaiter: { resolve(hello: Hello): void; reject(error: Error): void } | null = null;
  #bye: Bye | null = null;
  #lost: ConnectionFault | null = null;
  #groups = 0;
  #sending: Promise<void> = Promise.resolve();

  constructor(options: PortTransportOptions) {
    this.#options = options;
    this.#joiner = new Joiner({
      message: (message) => this.#receive(message),
      broken: (reason) => this.#post({ jsonrpc: "2.0", id: null, error: { code: -32_600, message: reason } }),
    });
  }

  /** Null before a completed hello. */
  get hello(): Hello | null {
    return this.#hello;
  }

  /** Why it is closed; null while it is open or when we closed it. */
  get lost(): ConnectionFault | null {
    return this.#lost;
  }

  async start(): Promise<void> {
    let port: NativePort;
    try {
      port = this.#options.open();
    } catch (error) {
      throw new HostUnreachable(faultOf("unknown", { detail: error instanceof Error ? error.message : String(error) }));
    }
    this.#port = port;
    port.onMessage((frame) => this.#joiner.receive(frame));
    port.onDisconnect((error) => this.#disconnected(error));
    const timer = setTimeout(() => this.#helloWaiter?.reject(new HostUnreachable(faultOf("hello_timeout"))), HELLO_TIMEOUT_MS);
    try {
      this.#hello = await new Promise<Hello>((resolve, reject) => {
        this.#helloWaiter = { resolve, reject };
        this.#post({
          jsonrpc: "2.0",
          id: HELLO_ID,
          method: "outrigger/hello",
          params: { client: { name: "outrigger-extension", version: this.#options.clientVersion }, protocol: PROTOCOL },
        });
      });
    } catch (error) {
      this.#shut();
      throw error;
    } finally {
      clearTimeout(timer);
      this.#helloWaiter = null;
    }
  }

  async send(message: JSONRPCMessage): Promise<void> {
    // Chunking waits for a checksum; the queue keeps whole messages in the order in which they were sent.
    const group = `x${(this.#groups += 1)}`;
    const mine = this.#sending.then(async () => {
      for (const frame of await framesOf(message, group)) this.#post(frame, true);
    });
    this.#sending = mine.catch(() => {});
    return mine;
  }

  async close(): Promise<void> {
    if (this.#port === null) return;
    this.#shut();
    this.onclose?.();
  }

  #receive(message: unknown): void {
    if (typeof message !== "object" || message === null) return;
    if ("method" in message && message.method === "notifications/outrigger/bye") {
      this.#bye = tryDecode(() => decodeBye("params" in message ? message.params : null));
      return;
    }
    if ("id" in message && message.id === HELLO_ID) return this.#receiveHello(message);
    this.onmessage?.(message as JSONRPCMessage);
  }

  #receiveHello(message: object): void {
    const waiter = this.#helloWaiter;
    if (waiter === null) return;
    try {
      if ("error" in message) throw helloFault(message.error);
      const hello = decodeHello("result" in message ? message.result : null);
      if (!hello.config.ok) throw new HostUnreachable(faultOfConfig(hello.config.path ?? null, hello.config.error ?? null));
      waiter.resolve(hello);
    } catch (error) {
      waiter.reject(error instanceof WireError ? new HostUnreachable(faultOf("host_garbled", { detail: error.message })) : (error as Error));
    }
  }

  #disconnected(error: string | null): void {
    if (this.#port === null) return;
    this.#port = null;
    const helloDone = this.#hello !== null;
    this.#lost =
      this.#bye !== null
        ? faultOfBye(this.#bye, this.#options.extensionId)
        : helloDone && (error === null || /has exited/i.test(error))
          ? faultOf("connection_lost", { detail: error })
          : faultOfDisconnect(error, this.#options.extensionId);
    this.#helloWaiter?.reject(new HostUnreachable(this.#lost));
    this.onclose?.();
  }

  #post(frame: unknown, mustArrive = false): void {
    if (this.#port === null) {
      if (mustArrive) throw new HostUnreachable(this.#lost ?? faultOf("connection_lost"));
      return;
    }
    this.#port.postMessage(frame);
  }

  #shut(): void {
    const port = this.#port;
    this.#port = null;
    port?.disconnect();
  }
}

function helloFault(error: unknown): HostUnreachable {
  const rpc = tryDecode(() => decodeRpcError(error));
  if (rpc === null) return new HostUnreachable(faultOf("host_garbled", { detail: "the hello failed without a reason" }));
  if (rpc.code === VERSION_SKEW) {
    const skew = tryDecode(() => decodeVersionSkew(rpc.data));
    return new HostUnreachable(skew === null ? faultOf("version_skew", { detail: rpc.message }) : faultOfSkew(skew));
  }
  if (rpc.code === CONFIG_INVALID) return new HostUnreachable(faultOfConfig(null, { message: rpc.message }));
  return new HostUnreachable(faultOf("host_garbled", { detail: rpc.message }));
}

function tryDecode<Value>(decode: () => Value): Value | null {
  try {
    return decode();
  } catch {
    return null;
  }
}
