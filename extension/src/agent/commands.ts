// The Terminal: what ran commands in a conversation, with what they wrote. Pure, made from the views of its calls.
import { onceEach } from "../lib/once-each.ts";
import type { ToolCallState, ToolCallView, TurnView } from "./session-view.ts";

export interface CommandView {
  readonly call: string;
  readonly turn: string;
  readonly state: ToolCallState;
  /** What was run: the id of the allowed command, and its arguments. */
  readonly command: string;
  readonly args: readonly string[];
  /** Relative to the workspace. */
  readonly workdir: string;
  /** With escape codes and carriage returns, as it came; the end of it where it was long. */
  readonly output: string;
  /** Bytes of output that are not in `output`. */
  readonly skippedBytes: number;
  /** How it ended; null while it runs, and where it never did. */
  readonly ended: { readonly outcome: "exited" | "killed" | "running"; readonly exitCode: number | null; readonly signal: string | null } | null;
  /** It goes on in the background under this name. */
  readonly job: string | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly durationMs: number | null;
  /** `killCommand` would do something. */
  readonly canKill: boolean;
}

export function commandsOf(turns: readonly TurnView[]): readonly CommandView[] {
  return turns.flatMap(commandsIn);
}

const views = new WeakMap<ToolCallView, CommandView>();

/** For each word that streams in, only the last turn is another one. */
const commandsIn = onceEach((turn: TurnView): readonly CommandView[] =>
  turn.steps.flatMap((step) =>
    step.calls.filter(isCommand).map((call) => {
      const known = views.get(call) ?? viewCommand(turn.message.id, call);
      views.set(call, known);
      return known;
    }),
  ),
);

/** Known by what it is, not by its name: it asked about a command, names one, or answered as one does. */
function isCommand(call: ToolCallView): boolean {
  if (call.state === "writing" || call.state === "dropped") return false;
  return call.approval?.plan.preview.kind === "command" || typeof call.args?.["command"] === "string" || endOf(call) !== null;
}

function viewCommand(turn: string, call: ToolCallView): CommandView {
  const args = call.args?.["args"];
  const data = dataOf(call);
  const ended = endOf(call);
  const job = typeof data?.["job"] === "string" ? data["job"] : null;
  return {
    call: call.id,
    turn,
    state: call.state,
    command: typeof call.args?.["command"] === "string" ? call.args["command"] : call.tool,
    args: Array.isArray(args) ? args.map(String) : [],
    workdir: typeof call.args?.["workdir"] === "string" ? call.args["workdir"] : ".",
    output: call.output,
    skippedBytes: call.outputSkippedBytes,
    ended,
    job,
    startedAt: call.startedAt,
    endedAt: call.endedAt,
    durationMs: call.result?.durationMs ?? null,
    canKill: call.state === "running" || (ended?.outcome === "running" && job !== null),
  };
}

function endOf(call: ToolCallView): CommandView["ended"] {
  const data = dataOf(call);
  // How a job of an earlier host ended nobody knows: not by itself, as far as anybody saw.
  const outcome = data?.["outcome"] === "lost" ? "killed" : data?.["outcome"];
  if (data === null || (outcome !== "exited" && outcome !== "killed" && outcome !== "running")) return null;
  return { outcome, exitCode: typeof data["exit_code"] === "number" ? data["exit_code"] : null, signal: typeof data["signal"] === "string" ? data["signal"] : null };
}

function dataOf(call: ToolCallView): Readonly<Record<string, unknown>> | null {
  const structured = call.result?.structured;
  if (typeof structured !== "object" || structured === null || !("data" in structured)) return null;
  return typeof structured.data === "object" && structured.data !== null ? (structured.data as Readonly<Record<string, unknown>>) : null;
}
