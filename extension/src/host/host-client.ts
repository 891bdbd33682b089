// One live connection to the host: tools by MCP, and the control plane beside it.
//
// Nothing is fulfilled automatically: a plan comes back as a plan. Every answer is decoded before anyone sees it.
import { Client, SdkError, SdkErrorCode } from "@modelcontextprotocol/client";
import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/client/validators/cf-worker";
import { z } from "zod";
import type { Mode } from "../wire/events.ts";
import {
  decodeCallOutcome,
  decodeCallState,
  decodeCancel,
  decodeOutput,
  decodePolicy,
  decodeTool,
  decodeTurnDiff,
  decodeTurns,
  decodeUndone,
  decodeWorkspaces,
  type CallOutcome,
  type Hello,
  type OutputNotification,
  type WireCallState,
  type WireCancel,
  type WirePolicy,
  type WireTool,
  type WireTurn,
  type WireTurnDiff,
  type WireUndone,
  type WireWorkspace,
} from "../wire/decode.ts";
import { decodeDoctor, decodePicked, readRefusal, type ErrandRefusal, type WireDoctor, type WirePicked } from "../wire/errands.ts";
import { decodeJobs, type WireJob } from "../wire/jobs.ts";
import { CALL_SILENCE_MS, CALL_TOTAL_MS, CONTROL_TIMEOUT_MS, DOCTOR_TIMEOUT_MS, MCP_REVISION, PERSON_TIMEOUT_MS, READ_TOTAL_MS } from "./limits.ts";
import { HostUnreachable } from "./faults.ts";
import type { PortTransport } from "./port-transport.ts";

/** An answer to a plan, on its way back with the call. */
export interface CallAnswer {
  readonly requestState: string;
  readonly decision: "allow" | "deny";
  readonly note: string | null;
  readonly hunks: readonly string[] | null;
  /** `user` or `rule:<id>`. */
  readonly by: string;
}

export interface UndoOptions {
  readonly dryRun: boolean;
  readonly skipConflicts: boolean;
  /** Also over what changed since; together with `skipConflicts`, all that can be. */
  readonly overwrite?: boolean;
  /** Only these; left out, all. */
  readonly paths?: readonly string[];
  /** The key of this act: with the same one it never happens twice. */
  readonly call?: string;
}

/** More than anyone looks through at once. */
const MOST_TURNS = 500;

export interface ToolCallRequest {
  /** The idempotency key. */
  readonly call: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly readOnly: boolean;
  readonly workspace: string | null;
  readonly session: string;
  readonly turn: string;
  readonly mode: Mode;
  /** What rules of the person keep from it. */
  readonly denied: readonly { readonly path: string; readonly workspace?: string }[];
  readonly answer: CallAnswer | null;
  /** The longest this call may take; null is what its kind may. */
  readonly timeoutMs: number | null;
  readonly onProgress?: (progress: { progress: number; total: number | null; message: string | null }) => void;
}

/** The host did not answer a call in time, or the port closed before it did. What happened there is not known. */
export class CallUnanswered extends Error {
  override readonly name = "CallUnanswered";
  constructor(
    override readonly cause: unknown,
    readonly timedOut: boolean,
  ) {
    super(timedOut ? "the host did not answer in time" : "the connection to the host was lost");
  }
}

/** The host refused a request as a whole (an error of JSON-RPC, not a result of a tool). */
export class HostRefused extends Error {
  override readonly name = "HostRefused";
  /** What would work, where the host says it. */
  readonly refusal: ErrandRefusal | null;
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    const { cause } = this;
    this.refusal = typeof cause === "object" && cause !== null && "data" in cause ? readRefusal(cause.data) : null;
  }
}

const anything = z.unknown();

export class HostClient {
  readonly #client: Client;
  readonly #transport: PortTransport;
  readonly #validator = new CfWorkerJsonSchemaValidator();
  readonly #outputListeners = new Map<string, (output: OutputNotification) => void>();
  #tools: Promise<readonly WireTool[]> | null = null;
  #onChanged: () => void = () => {};

  private constructor(client: Client, transport: PortTransport) {
    this.#client = client;
    this.#transport = transport;
    client.setNotificationHandler("notifications/outrigger/output", { params: anything }, (params) => {
      const output = decodeOutput(params);
      this.#outputListeners.get(output.call)?.(output);
    });
    client.setNotificationHandler("notifications/outrigger/changed", { params: anything }, () => {
      this.#tools = null;
      this.#onChanged();
    });
  }

  /** Told when another configuration is in force, or other tools are offered: what was listed is to be asked again. */
  set onChanged(listener: () => void) {
    this.#onChanged = listener;
  }

  /** Resolves after a completed hello and a negotiated MCP session. */
  static async connect(transport: PortTransport, version: string, onClose: () => void): Promise<HostClient> {
    const client = new Client(
      { name: "outrigger-extension", version },
      {
        capabilities: { elicitation: { form: {} } },
        versionNegotiation: { mode: { pin: MCP_REVISION } },
        inputRequired: { autoFulfill: false },
      },
    );
    client.onclose = onClose;
    // A port that closed while the client still negotiated is told to nobody; the client knows only that it has no answer.
    const lost = () => (transport.lost === null ? null : new HostUnreachable(transport.lost));
    await client.connect(transport, { timeout: CONTROL_TIMEOUT_MS }).catch((error: unknown) => Promise.reject(lost() ?? error));
    const gone = lost();
    if (gone !== null) throw gone;
    return new HostClient(client, transport);
  }

  get hello(): Hello {
    const hello = this.#transport.hello;
    if (hello === null) throw new HostRefused("bug: a client exists without a hello");
    return hello;
  }

  get instance(): string {
    return this.hello.instance_id;
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  /** What the host offers now; asked once per connection. */
  listTools(): Promise<readonly WireTool[]> {
    this.#tools ??= this.#listTools().catch((error: unknown) => {
      this.#tools = null;
      throw error;
    });
    return this.#tools;
  }

  async callTool(request: ToolCallRequest): Promise<CallOutcome> {
    const { answer } = request;
    const params = {
      name: request.tool,
      arguments: request.args,
      ...(answer === null
        ? {}
        : {
            requestState: answer.requestState,
            inputResponses: {
              approval: {
                action: "accept",
                content: { decision: answer.decision, ...(answer.note === null ? {} : { note: answer.note }) },
              },
            },
          }),
      _meta: {
        ...(request.workspace === null ? {} : { "dev.outrigger/workspace": request.workspace }),
        "dev.outrigger/session": request.session,
        "dev.outrigger/turn": request.turn,
        "dev.outrigger/call": request.call,
        "dev.outrigger/mode": request.mode,
        ...(request.denied.length === 0 ? {} : { "dev.outrigger/denied": request.denied }),
        ...(answer === null
          ? {}
          : {
              "dev.outrigger/approval": {
                by: answer.by,
                ...(answer.hunks === null ? {} : { hunks: answer.hunks }),
                ...(answer.note === null ? {} : { note: answer.note }),
              },
            }),
      },
    };
    const outcome = decodeCallOutcome(
      await this.#request("tools/call", params, {
        timeout: Math.min(CALL_SILENCE_MS, request.timeoutMs ?? CALL_SILENCE_MS),
        maxTotalTimeout: request.timeoutMs ?? (request.readOnly ? READ_TOTAL_MS : CALL_TOTAL_MS),
        resetTimeoutOnProgress: true,
        allowInputRequired: true,
        onprogress: (progress) =>
          request.onProgress?.({ progress: progress.progress, total: progress.total ?? null, message: progress.message ?? null }),
      }),
    );
    return outcome.kind === "asked" ? outcome : { kind: "result", result: await this.#checked(request.tool, outcome.result) };
  }

  /** Live output of one call, until the returned function is called. */
  watchOutput(call: string, listener: (output: OutputNotification) => void): () => void {
    this.#outputListeners.set(call, listener);
    return () => this.#outputListeners.delete(call);
  }

  async listWorkspaces(): Promise<readonly WireWorkspace[]> {
    return decodeWorkspaces(await this.#control("outrigger/workspaces/list", {})).workspaces;
  }

  /** Opens the operating system's folder dialog, and waits as long as the person does. */
  async pickWorkspace(): Promise<WirePicked> {
    return decodePicked(await this.#request("outrigger/workspaces/pick", {}, { timeout: PERSON_TIMEOUT_MS }));
  }

  /** The folder is not touched: rights are taken away. Of one that lies in another the host asks the person, who may keep it. */
  async removeWorkspace(id: string): Promise<void> {
    await this.#request("outrigger/workspaces/remove", { id }, { timeout: PERSON_TIMEOUT_MS });
  }

  async runDoctor(report: boolean): Promise<WireDoctor> {
    return decodeDoctor(await this.#request("outrigger/doctor/run", { report }, { timeout: DOCTOR_TIMEOUT_MS }));
  }

  async getPolicy(): Promise<WirePolicy> {
    return decodePolicy(await this.#control("outrigger/policy/get", {}));
  }

  async getCall(call: string): Promise<WireCallState> {
    return decodeCallState(await this.#control("outrigger/calls/get", { call }));
  }

  async cancelCall(call: string): Promise<WireCancel> {
    return decodeCancel(await this.#control("outrigger/calls/cancel", { call }));
  }

  /** How the background jobs of this connection stand, and what those in `since` wrote from that position on. */
  async listJobs(since: Readonly<Record<string, number>>): Promise<readonly WireJob[]> {
    return decodeJobs(await this.#control("outrigger/jobs/list", { since })).jobs;
  }

  /** Puts the files of a turn back, or there again; by the key of an undo, what that one replaced. With `dryRun` only tells what would happen. */
  async undoTurn(direction: "undo" | "redo", turn: string, options: UndoOptions): Promise<WireUndone> {
    const { dryRun, skipConflicts, overwrite = false, paths, call } = options;
    return decodeUndone(await this.#control(`outrigger/turns/${direction}`, { turn, dry_run: dryRun, skip_conflicts: skipConflicts, ...(overwrite ? { overwrite } : {}), ...(paths === undefined ? {} : { paths }), ...(call === undefined || dryRun ? {} : { call }) }));
  }

  /** What the journal has of a session, the youngest first. */
  async listTurns(session: string): Promise<readonly WireTurn[]> {
    return decodeTurns(await this.#control("outrigger/turns/list", { session, limit: MOST_TURNS })).turns;
  }

  async turnDiff(turn: string): Promise<WireTurnDiff> {
    return decodeTurnDiff(await this.#control("outrigger/turns/diff", { turn }));
  }

  async #listTools(): Promise<readonly WireTool[]> {
    const tools: WireTool[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.#told(() => this.#client.listTools(cursor === undefined ? undefined : { cursor }));
      tools.push(...page.tools.map((tool) => decodeTool(tool)));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return tools;
  }

  /** A result that is not what the tool promised is told to the model as text, and its facts are left out. */
  async #checked<Result extends { readonly text: string; readonly structured: unknown }>(name: string, result: Result): Promise<Result> {
    if (result.structured === null) return result;
    const schema = (await this.listTools()).find((tool) => tool.name === name)?.outputSchema;
    if (schema === undefined || schema === null) return result;
    const verdict = this.#validator.getValidator(schema)(result.structured);
    if (verdict.valid) return result;
    return { ...result, structured: null, text: `${result.text}\n[The structured part of this result did not match the tool's schema and was left out.]` };
  }

  #control(method: string, params: Record<string, unknown>): Promise<unknown> {
    return this.#request(method, params, { timeout: CONTROL_TIMEOUT_MS });
  }

  #request(method: string, params: Record<string, unknown>, options: Parameters<Client["request"]>[2]): Promise<unknown> {
    return this.#told(() => this.#client.request({ method, params }, anything, options));
  }

  /** Whatever goes wrong is said in our words: not answered, or refused. */
  async #told<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) throw new CallUnanswered(error, true);
      if (this.#transport.lost !== null || (error instanceof SdkError && CLOSED.has(error.code))) throw new CallUnanswered(error, false);
      throw new HostRefused(error instanceof Error ? error.message : String(error), { cause: error });
    }
  }
}

const CLOSED: ReadonlySet<SdkErrorCode> = new Set([SdkErrorCode.ConnectionClosed, SdkErrorCode.NotConnected, SdkErrorCode.SendFailed]);
