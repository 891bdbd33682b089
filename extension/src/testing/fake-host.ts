// A host in memory that speaks `docs/protocol.md` over a port: for unit tests only.
//
// It keeps what the real one keeps in its journal, so that killing its process and starting the next one can be tested.
import { newUlid } from "../lib/ids.ts";
import { framesOf, Joiner } from "../host/chunks.ts";
import type { NativePort } from "../host/port-transport.ts";

export interface FakeTool {
  readonly name: string;
  readonly readOnly: boolean;
  readonly tier: "auto" | "batch" | "individual";
  readonly inputSchema?: Record<string, unknown>;
  /** What the plan shows; its text decides the digest. */
  readonly preview?: (args: Record<string, unknown>) => Record<string, unknown>;
  readonly run: (args: Record<string, unknown>, context: FakeRun) => Promise<FakeResult> | FakeResult;
}

export interface FakeRun {
  /** What the call's rules keep from it. */
  readonly denied: readonly { readonly path: string; readonly workspace?: string }[];
  readonly call: string;
  readonly cancelled: AbortSignal;
  output(text: string): void;
}

export interface FakeResult {
  readonly text: string;
  readonly isError?: boolean;
  readonly code?: string;
  readonly data?: unknown;
  /** As base64. */
  readonly pictures?: readonly string[];
}

interface JournalEntry {
  readonly tool: string;
  state: "asked" | "running" | "finished" | "outcome_unknown";
  result: Record<string, unknown> | null;
  readonly cancel: AbortController;
  done: Promise<Record<string, unknown>> | null;
}

interface Rpc {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Record<string, unknown> & { readonly _meta?: Record<string, unknown> };
}

export class FakeHost {
  readonly tools = new Map<string, FakeTool>();
  readonly journal = new Map<string, JournalEntry>();
  /** How often each call's effect really happened. */
  readonly runs = new Map<string, number>();
  /** How often each tool was really run with the same arguments, for what changes something. */
  readonly effects = new Map<string, number>();
  /** Every `tools/call` as it came. */
  readonly requests: { readonly name: string; readonly params: Record<string, unknown> }[] = [];
  /** Changes what every plan looks like, as a changed file would. */
  salt = "";
  /** Which journal it has. */
  journalId = "j1";
  /** Replaces the answer to hello. */
  hello: ((result: Record<string, unknown>) => Record<string, unknown>) | null = null;
  /** What `connectNative` meets: null is a host that starts. */
  missing: string | null = null;
  starts = 0;
  /** So often a call of an earlier life is answered with `busy`: the old process still settles it. */
  busy = 0;
  /** Calls are answered only when this is over. */
  gate: Promise<void> | null = null;
  /** What putting a turn's files back would do. */
  undo: (direction: "undo" | "redo", params: { readonly turn: string; readonly dry_run: boolean; readonly skip_conflicts: boolean; readonly call?: string; readonly paths?: readonly string[] }) => Record<string, unknown> = () => ({ state: "nothing", files: [] });
  /** What its journal has. */
  turns: (session: string) => readonly Record<string, unknown>[] = () => [];
  /** Its background jobs; `since`: of which the output is asked for, from where on. */
  jobs: (since: Readonly<Record<string, number>>) => readonly Record<string, unknown>[] = () => [];
  diff: (turn: string) => Record<string, unknown> = () => ({ state: "nothing", files: [] });
  /** Commands that its configuration lets run at once. */
  autoCommands: readonly string[] = [];
  #live: FakeProcess | null = null;

  add(...tools: readonly FakeTool[]): this {
    for (const tool of tools) this.tools.set(tool.name, tool);
    return this;
  }

  open(): NativePort {
    this.starts += 1;
    const process = new FakeProcess(this);
    this.#live = process;
    if (this.missing !== null) {
      const error = this.missing;
      process.port.postMessage = () => {};
      setTimeout(() => process.close(error), 0);
    }
    return process.port;
  }

  /** As `kill -9`: what ran and changes something has an unknown end, for who asks the next process. */
  kill(): void {
    for (const entry of this.journal.values()) {
      if (entry.state === "running") {
        entry.cancel.abort();
        entry.state = "outcome_unknown";
      }
    }
    this.#live?.close("Native host has exited.");
    this.#live = null;
  }

  /** As when the browser or its worker dies: what ran is settled as cancelled, with what it had done, and the host ends. */
  closePort(): void {
    for (const entry of this.journal.values()) {
      if (entry.state !== "running") continue;
      entry.cancel.abort();
      finish(entry, { text: "cancelled: the connection was closed while it ran", isError: true, code: "cancelled" });
    }
    this.#live?.close("closed");
    this.#live = null;
  }

  /** As when somebody takes the file of its journal away. */
  loseJournal(): void {
    this.journal.clear();
    this.journalId = `${this.journalId}+`;
  }

  send(message: unknown): void {
    this.#live?.send(message);
  }
}

class FakeProcess {
  readonly instance = newUlid();
  readonly port: { -readonly [Key in keyof NativePort]: NativePort[Key] };
  readonly #host: FakeHost;
  readonly #joiner: Joiner;
  readonly #messageListeners: ((message: unknown) => void)[] = [];
  readonly #closeListeners: ((error: string | null) => void)[] = [];
  readonly #plans = new Map<string, { readonly digest: string }>();
  #isOpen = true;
  #groups = 0;

  constructor(host: FakeHost) {
    this.#host = host;
    this.#joiner = new Joiner({
      message: (message) => void this.#receive(message as Rpc),
      broken: (reason) => this.send({ jsonrpc: "2.0", id: null, error: { code: -32_600, message: reason } }),
    });
    this.port = {
      // A browser serialises: nothing is shared between the two sides.
      postMessage: (message) => {
        const copy: unknown = JSON.parse(JSON.stringify(message));
        queueMicrotask(() => this.#isOpen && this.#joiner.receive(copy));
      },
      disconnect: () => (this.#isOpen = false),
      onMessage: (listener) => this.#messageListeners.push(listener),
      onDisconnect: (listener) => this.#closeListeners.push(listener),
    };
  }

  close(error: string | null): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    for (const listener of this.#closeListeners) listener(error);
  }

  send(message: unknown): void {
    this.#groups += 1;
    void framesOf(message, `h${this.#groups}`).then((frames) => {
      for (const frame of frames) {
        const copy: unknown = JSON.parse(JSON.stringify(frame));
        if (this.#isOpen) for (const listener of this.#messageListeners) listener(copy);
      }
    });
  }

  async #receive(message: Rpc): Promise<void> {
    if (message.id === undefined || message.method === undefined) return;
    try {
      this.send({ jsonrpc: "2.0", id: message.id, result: await this.#answer(message.method, message.params ?? {}) });
    } catch (error) {
      if (error instanceof RpcFailure) this.send({ jsonrpc: "2.0", id: message.id, error: { code: error.code, message: error.message, data: error.data } });
      else this.send({ jsonrpc: "2.0", id: message.id, error: { code: -32_603, message: String(error) } });
    }
  }

  async #answer(method: string, params: NonNullable<Rpc["params"]>): Promise<Record<string, unknown>> {
    switch (method) {
      case "outrigger/hello": {
        const hello = {
          resultType: "complete",
          host: { name: "outrigger", version: "0.1.0", build: "test" },
          protocol: { min: 1, max: 1, chosen: 1 },
          pid: 4242,
          instance_id: this.instance,
          limits: { frame_bytes: 1_000_000, chunk_bytes: 262_144, message_bytes: 67_108_864, open_groups: 8 },
          features: ["chunks", "output", "calls", "denied"],
          mcp: ["2026-07-28"],
          config: { path: "config.toml", ok: true },
        };
        return this.#host.hello?.(hello) ?? hello;
      }
      case "server/discover":
        return {
          resultType: "complete",
          supportedVersions: ["2026-07-28"],
          capabilities: { tools: {} },
          ttlMs: 0,
          cacheScope: "private",
          _meta: { "io.modelcontextprotocol/serverInfo": { name: "outrigger", version: "0.1.0" } },
        };
      case "tools/list":
        return { resultType: "complete", ttlMs: 0, cacheScope: "private", tools: [...this.#host.tools.values()].map(describe) };
      case "tools/call":
        return this.#call(params as unknown as CallParams);
      case "outrigger/workspaces/list":
        return { resultType: "complete", workspaces: [{ id: "app", path: "/home/ada/src/app", default: true, read_only: false, available: true }] };
      case "outrigger/policy/get":
        return { resultType: "complete", blocked: [], protected: [], tiers: {}, commands: this.#host.autoCommands.map((id) => ({ id, tier: "auto" })), config_path: null };
      case "outrigger/calls/get": {
        const entry = this.#host.journal.get(String(params["call"]));
        return {
          resultType: "complete",
          call: params["call"],
          state: this.#host.busy > 0 ? "running" : (entry?.state ?? "unknown"),
          ...(entry === undefined ? {} : { tool: entry.tool }),
          ...(entry?.result ? { result: entry.result } : {}),
          journal: this.#host.journalId,
        };
      }
      case "outrigger/calls/cancel": {
        const entry = this.#host.journal.get(String(params["call"]));
        if (entry?.state === "running") entry.cancel.abort();
        return { resultType: "complete", call: params["call"], state: entry?.state ?? "unknown", cancelled: entry?.state === "running" };
      }
      case "outrigger/jobs/list":
        return { resultType: "complete", jobs: this.#host.jobs(params["since"] as Readonly<Record<string, number>>) };
      case "outrigger/turns/list":
        return { resultType: "complete", turns: this.#host.turns(String(params["session"])) };
      case "outrigger/turns/diff":
        return { resultType: "complete", turn: params["turn"], workspace: "app", ...this.#host.diff(String(params["turn"])) };
      case "outrigger/turns/undo":
      case "outrigger/turns/redo":
        return { resultType: "complete", workspace: "app", ...this.#host.undo(method.endsWith("undo") ? "undo" : "redo", params as unknown as { turn: string; dry_run: boolean; skip_conflicts: boolean }) };
      default:
        throw new RpcFailure(-32_601, `unknown method ${method}`);
    }
  }

  async #call(params: CallParams): Promise<Record<string, unknown>> {
    this.#host.requests.push({ name: params.name, params: params as unknown as Record<string, unknown> });
    const { gate } = this.#host;
    if (gate !== null) await gate;
    const tool = this.#host.tools.get(params.name);
    if (tool === undefined) throw new RpcFailure(-32_602, `unknown tool ${params.name}`);
    const key = params._meta["dev.outrigger/call"];
    const known = this.#host.journal.get(key);
    if (known?.state === "outcome_unknown" && this.#host.busy > 0) {
      this.#host.busy -= 1;
      const text = "busy: it still runs elsewhere";
      return { resultType: "complete", content: [{ type: "text", text }], structuredContent: { ok: false, code: "busy", message: text }, isError: true };
    }
    if (known?.state === "finished" && known.result !== null) return { ...known.result, _meta: { "dev.outrigger/replayed": true } };
    if (known?.state === "running" && known.done !== null) return known.done;
    if (known?.state === "outcome_unknown" && !tool.readOnly) return finish(known, { text: "outcome unknown", isError: true, code: "outcome_unknown" });
    const args = params.arguments ?? {};
    if (params._meta["dev.outrigger/mode"] === "plan" && !tool.readOnly) {
      const refused: JournalEntry = known ?? { tool: params.name, state: "asked", result: null, cancel: new AbortController(), done: null };
      this.#host.journal.set(key, refused);
      return finish(refused, { text: `approval_unavailable: the session is in plan mode, which only reads; \`${params.name}\` would change something`, isError: true, code: "approval_unavailable" });
    }
    const entry: JournalEntry = known ?? { tool: params.name, state: "asked", result: null, cancel: new AbortController(), done: null };
    if (tool.tier !== "auto" && !this.#host.autoCommands.includes(String(args["command"]))) {
      const verdict = this.#judge(tool, params, args);
      this.#host.journal.set(key, entry);
      if (verdict.kind === "ask") return verdict.asked;
      if (verdict.kind === "deny") return finish(entry, { text: `approval_denied: ${verdict.note}`, isError: true, code: "approval_denied" });
    }
    entry.state = "running";
    this.#host.journal.set(key, entry);
    this.#host.runs.set(key, (this.#host.runs.get(key) ?? 0) + 1);
    if (!tool.readOnly) {
      const effect = `${tool.name} ${JSON.stringify(args)}`;
      this.#host.effects.set(effect, (this.#host.effects.get(effect) ?? 0) + 1);
    }
    entry.done = (async () => {
      const result = await tool.run(args, {
        call: key,
        denied: (params._meta as Record<string, unknown>)["dev.outrigger/denied"] as FakeRun["denied"] | undefined ?? [],
        cancelled: entry.cancel.signal,
        output: (text) => this.send({ jsonrpc: "2.0", method: "notifications/outrigger/output", params: { call: key, text, offset: 0, skipped_bytes: 0 } }),
      });
      if (entry.state === "outcome_unknown") return await new Promise<never>(() => {});
      return entry.state === "finished" && entry.result !== null ? entry.result : finish(entry, result);
    })();
    return entry.done;
  }

  #judge(tool: FakeTool, params: CallParams, args: Record<string, unknown>) {
    const preview = tool.preview?.(args) ?? { kind: "files", files: [{ path: String(args["path"] ?? ""), op: "edit", added: 1, removed: 1 }] };
    const digest = `sha256:${this.#host.salt}:${JSON.stringify({ tool: tool.name, args, preview })}`;
    const answer = params.inputResponses?.approval;
    if (params.requestState !== undefined && answer !== undefined) {
      const sealed = this.#plans.get(params.requestState);
      this.#plans.delete(params.requestState);
      const allowed = answer.action === "accept" && answer.content?.decision === "allow";
      if (sealed !== undefined && !allowed) return { kind: "deny" as const, note: answer.content?.note ?? "" };
      if (sealed?.digest === digest) return { kind: "run" as const };
    }
    const state = newUlid();
    this.#plans.set(state, { digest });
    return {
      kind: "ask" as const,
      asked: {
        resultType: "input_required",
        inputRequests: { approval: { method: "elicitation/create", params: { mode: "form", message: "May it?", requestedSchema: { type: "object", properties: {} } } } },
        requestState: state,
        _meta: {
          "dev.outrigger/plan": {
            id: newUlid(),
            digest,
            tool: tool.name,
            workspace: "app",
            tier: tool.tier,
            reasons: params.requestState === undefined ? ["it asks"] : ["approval_stale: it changed"],
            summary: `${tool.name} ${JSON.stringify(args)}`,
            preview,
            expires_at: "2030-01-01T00:00:00Z",
          },
        },
      },
    };
  }
}

interface CallParams {
  readonly name: string;
  readonly arguments?: Record<string, unknown>;
  readonly requestState?: string;
  readonly inputResponses?: { readonly approval?: { readonly action: string; readonly content?: { readonly decision?: string; readonly note?: string } } };
  readonly _meta: Readonly<Record<string, string>> & { readonly "dev.outrigger/call": string };
}

export class RpcFailure extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
  }
}

function describe(tool: FakeTool): Record<string, unknown> {
  return {
    name: tool.name,
    description: `The fake ${tool.name}`,
    inputSchema: tool.inputSchema ?? { type: "object" },
    outputSchema: { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] },
    annotations: { readOnlyHint: tool.readOnly, destructiveHint: !tool.readOnly },
    _meta: { "dev.outrigger/tier": tool.tier },
  };
}

function finish(entry: JournalEntry, result: FakeResult): Record<string, unknown> {
  entry.state = "finished";
  entry.result = {
    resultType: "complete",
    content: [{ type: "text", text: result.text }, ...(result.pictures ?? []).map((data) => ({ type: "image", mimeType: "image/png", data }))],
    structuredContent: result.isError === true ? { ok: false, code: result.code ?? "internal", message: result.text } : { ok: true, data: result.data ?? null, duration_ms: 1 },
    isError: result.isError ?? false,
  };
  return entry.result;
}
