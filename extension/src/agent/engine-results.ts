// Results that the engine gives itself, where a call never reached the host or its end is not known.
//
// Written like the host's own failures, so that a model and a card read both the same way.
import type { AgentEvent } from "./events.ts";
import type { CallLog } from "./log.ts";

type ToolResult = Extract<AgentEvent, { type: "ToolResult" }>;

export function failureResult(call: string, code: string, message: string, hint: string | null, retryable = false): ToolResult {
  return {
    type: "ToolResult",
    call,
    isError: true,
    text: hint === null ? `${code}: ${message}` : `${code}: ${message}\nHint: ${hint}`,
    structured: { ok: false, code, message, hint, retryable },
    origin: "engine",
    replayed: false,
    durationMs: null,
  };
}

export function cancelledResult(call: CallLog): ToolResult {
  return failureResult(call.id, "cancelled", "the user stopped the turn before this call ran; nothing was done", null);
}

/** Denied by a rule before anything of it reached the host. */
export function deniedResult(call: CallLog, by: string): ToolResult {
  return failureResult(call.id, "approval_denied", `the user has a rule (${by}) that denies this call of ${call.tool}`, "Do not try to get the same by other means. Ask the user if it is needed.");
}

export function invalidArgsResult(call: CallLog): ToolResult {
  return failureResult(call.id, "invalid_args", `the arguments of ${call.tool} are not a JSON object, so it was not run`, "Send the call again with valid JSON.", true);
}

export function unknownToolResult(call: CallLog, names: readonly string[]): ToolResult {
  return failureResult(call.id, "not_found", `there is no tool \`${call.tool}\``, `The tools are: ${names.join(", ")}.`);
}

/** Names the call, the tool, its arguments, and the check to make. */
export function outcomeUnknownResult(call: CallLog): ToolResult {
  return failureResult(
    call.id,
    "outcome_unknown",
    `${call.tool} was started (call ${call.id}) and it is not known how it ended. Its arguments were: ${call.argsText}`,
    "Verify before going on: look at the files and at git_status. Do not assume that it ran, nor that it did not.",
  );
}

/** The person has set how long a question may wait. */
export function unansweredResult(call: CallLog, timeoutMs: number): ToolResult {
  return failureResult(call.id, "timeout", `the user did not answer within ${Math.round(timeoutMs / 1000)} s`, "Go on with what you know, or end and say what you need.");
}

export function timeoutResult(call: CallLog, seconds: number): ToolResult {
  return failureResult(
    call.id,
    "timeout",
    `${call.tool} did not answer within ${seconds} s and was cancelled`,
    call.readOnly ? "Ask for less at once." : "Verify what was done before trying again.",
    true,
  );
}
