// What a conversation did on the machine: changed files, as the host's journal has them, and commands, which can be ended.
import { z } from "zod";
import { findCall, type SessionLog } from "../agent/log.ts";
import type { SessionLoop } from "../agent/loop.ts";
import { viewSession } from "../agent/projection.ts";
import type { EngineWorld, ToolHost } from "../agent/world.ts";
import type { WireTurn } from "../wire/decode.ts";
import type { SessionRow } from "../storage/storage.ts";
import { IntentFault } from "./intent-fault.ts";
import { withHost } from "./reach-host.ts";
import type { JobOutput, JobState, Receipt, TurnChanges } from "./views.ts";

export interface ChangesParts {
  readonly world: EngineWorld;
  readonly loop: (session: string) => Promise<SessionLoop>;
  readonly children: (session: string) => Promise<readonly SessionRow[]>;
}

export class Changes {
  readonly #parts: ChangesParts;

  constructor(parts: ChangesParts) {
    this.#parts = parts;
  }

  /** Oldest first. Null: of the whole session; what its sub-agents did stands among them by its time. */
  async list(session: string, turn: string | null): Promise<readonly TurnChanges[]> {
    const { log } = await this.#parts.loop(session);
    const agents = (await this.#parts.children(session)).filter(({ origin }) => origin?.kind === "subagent");
    const own = turn === null ? agents : agents.filter(({ origin }) => turnOfCall(log, origin?.by ?? "") === turn);
    return withHost(this.#parts.world, async (host) => {
      const mine = (await host.listTurns(session)).filter((each) => turn === null || each.turn === turn).map((each) => ({ session, each }));
      const theirs = (await Promise.all(own.map(async ({ id }) => (await host.listTurns(id)).map((each) => ({ session: id, each }))))).flat();
      const found = await Promise.all([...mine, ...theirs].map(({ session: of, each }) => changesOf(host, of, each)));
      return found.toSorted((left, right) => (left.finishedAt ?? Number.POSITIVE_INFINITY) - (right.finishedAt ?? Number.POSITIVE_INFINITY));
    });
  }

  /** What a background job wrote since; the call that began it was answered long ago. */
  async jobOutput(session: string, call: string, since: number): Promise<JobOutput> {
    const { log } = await this.#parts.loop(session);
    const command = viewSession(log).commands?.find((each) => each.call === call);
    if (command?.job == null) throw new IntentFault({ code: "no_job", message: "This command left no background job.", hint: null, retryable: false });
    const { job, turn } = command;
    return withHost(this.#parts.world, async (host) => {
      const tool = await lookTool(host);
      const outcome = await host.callTool({ call: this.#parts.world.newId(), tool: tool.name, args: { job, since }, readOnly: true, workspace: log.config.workspace, session, turn, mode: log.config.mode, denied: [], answer: null, timeoutMs: null });
      if (outcome.kind === "asked" || outcome.result.isError) throw new IntentFault({ code: "no_job", message: outcome.kind === "asked" ? "The host asks about this first." : outcome.result.text, hint: null, retryable: false });
      const data = dataOf(outcome.result.structured);
      return {
        text: outcome.result.text,
        nextSince: typeof data["next_since"] === "number" ? data["next_since"] : null,
        running: data["state"] === "running",
        exitCode: typeof data["exit_code"] === "number" ? data["exit_code"] : null,
      };
    });
  }

  /** How the background jobs of this host stand. Their output is left alone: a look at it would take from the model what it was not shown yet. */
  async jobs(session: string): Promise<readonly JobState[]> {
    const { log } = await this.#parts.loop(session);
    return withHost(this.#parts.world, async (host) => {
      const tool = await lookTool(host);
      const outcome = await host.callTool({ call: this.#parts.world.newId(), tool: tool.name, args: {}, readOnly: true, workspace: log.config.workspace, session, turn: log.turns.at(-1)?.id ?? "", mode: log.config.mode, denied: [], answer: null, timeoutMs: null });
      const jobs = outcome.kind === "asked" || outcome.result.isError ? null : dataOf(outcome.result.structured)["jobs"];
      if (!Array.isArray(jobs)) throw new IntentFault({ code: "not_offered", message: "This host does not tell how background jobs stand.", hint: null, retryable: false });
      return jobs.flatMap((entry) => readJob(entry));
    });
  }

  /** Ends what runs. Its result, with what it had written, comes by the ordinary way. */
  async kill(session: string, call: string): Promise<Receipt> {
    const { log } = await this.#parts.loop(session);
    const command = viewSession(log).commands?.find((each) => each.call === call);
    if (command?.canKill !== true) throw new IntentFault({ code: "not_running", message: "This command does not run any more.", hint: null, retryable: false });
    const key = findCall(log, call)?.key ?? call;
    return withHost(this.#parts.world, async (host) => {
      if (command.job !== null) return killJob(this.#parts.world, host, log, command.turn, command.job);
      const { cancelled } = await host.cancelCall(key);
      return { message: cancelled ? `${command.command} was told to end; the model sees that you ended it.` : `${command.command} had ended already.` };
    });
  }
}

/** The host's own tool for it, known by what it takes. */
async function lookTool(host: ToolHost) {
  const tool = (await host.listTools()).find(({ inputSchema, annotations }) => annotations.readOnlyHint && hasParameters(inputSchema, ["job", "since"]));
  if (tool === undefined) throw new IntentFault({ code: "not_offered", message: "This host cannot tell what background jobs write.", hint: "Update the host.", retryable: false });
  return tool;
}

const jobSchema = z.object({ job: z.string(), command: z.string(), state: z.string(), exit_code: z.number().nullish(), signal: z.string().nullish() });

function readJob(entry: unknown): readonly JobState[] {
  const job = jobSchema.safeParse(entry);
  if (!job.success) return [];
  const { job: name, command, state, exit_code: exitCode, signal } = job.data;
  return [{ job: name, command, outcome: state === "running" || state === "exited" ? state : "killed", exitCode: exitCode ?? null, signal: signal ?? null }];
}

function hasParameters(schema: Readonly<Record<string, unknown>>, names: readonly string[]): boolean {
  const { properties } = schema;
  return typeof properties === "object" && properties !== null && names.every((name) => name in properties);
}

function dataOf(structured: unknown): Readonly<Record<string, unknown>> {
  const data = typeof structured === "object" && structured !== null && "data" in structured ? structured.data : null;
  return typeof data === "object" && data !== null ? (data as Readonly<Record<string, unknown>>) : {};
}

async function changesOf(host: ToolHost, session: string, { turn, state, commands, finished_at: finished, replaced }: WireTurn): Promise<TurnChanges> {
  const diff = await host.turnDiff(turn);
  const at = typeof finished === "string" ? Date.parse(finished) : Number.NaN;
  return { turn, session, state, commands, finishedAt: Number.isNaN(at) ? null : at, files: diff.files.map((file) => ({ ...file, missing: file.missing ?? null })), replaced: [...new Set(replaced.flatMap(({ paths }) => paths))] };
}

/** The host's own tool for it, known by what it takes: a job and nothing else that is needed. */
async function killJob(world: EngineWorld, host: ToolHost, log: SessionLog, turn: string, job: string): Promise<Receipt> {
  const tool = (await host.listTools()).find(({ inputSchema, annotations }) => !annotations.readOnlyHint && Array.isArray(inputSchema["required"]) && inputSchema["required"].length === 1 && inputSchema["required"][0] === "job");
  if (tool === undefined) throw new IntentFault({ code: "not_offered", message: "This host cannot end background jobs.", hint: "Update the host.", retryable: false });
  const outcome = await host.callTool({ call: world.newId(), tool: tool.name, args: { job }, readOnly: false, workspace: log.config.workspace, session: log.session, turn, mode: "ask", denied: [], answer: null, timeoutMs: null });
  if (outcome.kind === "asked") throw new IntentFault({ code: "needs_approval", message: "The host's configuration asks about this first.", hint: "Ask the agent to end the job; its card can then be answered.", retryable: false });
  if (outcome.result.isError) throw new IntentFault({ code: "not_ended", message: outcome.result.text, hint: null, retryable: true });
  return { message: `The job ${job} was ended. The model sees it when it looks at the job again.` };
}

function turnOfCall(log: SessionLog, call: string): string | null {
  return log.turns.find((turn) => turn.steps.some((step) => step.calls.some(({ id }) => id === call)))?.id ?? null;
}
