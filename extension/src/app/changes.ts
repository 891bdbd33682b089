// What a conversation did on the machine: changed files, as the host's journal has them, and commands, which can be ended.
import { findCall, type SessionLog } from "../agent/log.ts";
import type { SessionLoop } from "../agent/loop.ts";
import { viewSession } from "../agent/projection.ts";
import type { EngineWorld, ToolHost } from "../agent/world.ts";
import type { WireTurn } from "../wire/decode.ts";
import type { SessionRow } from "../storage/storage.ts";
import { IntentFault } from "./intent-fault.ts";
import { withHost } from "./reach-host.ts";
import type { JobState, Receipt, TurnChanges } from "./views.ts";

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

  /** How the background jobs of this host stand, and what those in `since` wrote from that position on. The model is shown no less by it. */
  async jobs(since: Readonly<Record<string, number>>): Promise<readonly JobState[]> {
    const jobs = await withHost(this.#parts.world, async (host) => host.listJobs(since));
    return jobs.map(({ job, command, state, exit_code: exitCode, signal, output }) => ({
      job,
      command,
      outcome: state === "running" || state === "exited" ? state : "killed",
      exitCode: exitCode ?? null,
      signal: signal ?? null,
      output: output == null ? null : { text: output.text, nextSince: output.next_since },
    }));
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

async function changesOf(host: ToolHost, session: string, { turn, state, commands, finished_at: finished, replaced }: WireTurn): Promise<TurnChanges> {
  const diff = await host.turnDiff(turn);
  const at = typeof finished === "string" ? Date.parse(finished) : Number.NaN;
  return { turn, session, state, commands, finishedAt: Number.isNaN(at) ? null : at, files: diff.files.map(({ line_ends: lineEnds, ...file }) => ({ ...file, missing: file.missing ?? null, lineEnds: lineEnds ?? null })), replaced: [...new Set(replaced.flatMap(({ paths }) => paths))] };
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
