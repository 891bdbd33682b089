/** The commands of a session, as its log tells them: what ran, what it printed, how it ended. */
import type { SessionView, ToolCallView } from "../../agent/session-view.ts";
import { quoteArgument } from "../../lib/quote-argument.ts";

export interface CommandView {
  readonly call: ToolCallView;
  /** As one would type it. */
  readonly line: string;
  readonly folder: string | null;
  readonly state: "running" | "exited" | "killed" | "background" | "failed" | "waiting" | "cancelled";
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** What it printed: live, and after its end what the result shows of it. */
  readonly output: string;
  readonly skippedBytes: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
}

export function commandsOf(session: SessionView): readonly CommandView[] {
  return session.turns.flatMap((turn) => turn.steps.flatMap((step) => step.calls.flatMap((call) => viewCommand(call) ?? [])));
}

/** Null: it is no command. What is one is told by its plan, by its output or by its outcome, not by a tool's name. */
function viewCommand(call: ToolCallView): CommandView | null {
  const preview = call.approval?.plan.preview;
  const planned = preview?.kind === "command" ? preview : null;
  const data = dataOf(call);
  if (planned === null && call.output === "" && typeof data["outcome"] !== "string") return null;
  if (call.state === "denied" || call.state === "dropped" || call.state === "writing") return null;
  const { args } = call;
  const given = Array.isArray(args?.["args"]) ? args["args"].map(String) : [];
  const line = planned !== null ? [shortName(planned.program), ...planned.args] : [String(args?.["command"] ?? args?.["job"] ?? call.tool), ...given];
  return {
    call,
    line: line.map(quoteArgument).join(" "),
    folder: planned === null || planned.workdir === "." ? null : planned.workdir,
    state: stateOf(call, data),
    exitCode: typeof data["exit_code"] === "number" ? data["exit_code"] : null,
    signal: typeof data["signal"] === "string" ? data["signal"] : null,
    output: call.output !== "" ? call.output : (call.result?.text ?? ""),
    skippedBytes: call.output !== "" ? call.outputSkippedBytes : 0,
    startedAt: call.startedAt,
    endedAt: call.endedAt,
  };
}

function stateOf(call: ToolCallView, data: Readonly<Record<string, unknown>>): CommandView["state"] {
  if (call.state === "running") return "running";
  if (call.state === "waiting" || call.state === "answered" || call.state === "queued") return "waiting";
  if (call.state === "cancelled") return "cancelled";
  if (data["outcome"] === "exited") return "exited";
  if (data["outcome"] === "killed") return "killed";
  if (data["outcome"] === "running") return "background";
  return call.state === "failed" ? "failed" : "exited";
}

function dataOf(call: ToolCallView): Readonly<Record<string, unknown>> {
  const structured = call.result?.structured;
  if (typeof structured !== "object" || structured === null || !("data" in structured)) return {};
  return typeof structured.data === "object" && structured.data !== null ? (structured.data as Record<string, unknown>) : {};
}

/** `/usr/bin/node` is `node` to a person; the whole of it stands in what was approved. */
function shortName(program: string): string {
  return program.split(/[/\\]/u).at(-1) ?? program;
}
