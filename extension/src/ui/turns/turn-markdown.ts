/** A turn as text to take elsewhere: what was asked, what was done in a line each, what was answered. */
import type { TurnView } from "../../agent/session-view.ts";
import { tellingArgument } from "../chat/telling-argument.ts";

/** The last words of a turn: its answer. */
export function answerOf(turn: TurnView): string {
  return turn.steps.findLast((step) => step.state === "done" && step.text.trim() !== "")?.text ?? "";
}

export function turnMarkdown(turn: TurnView): string {
  const steps = turn.steps
    .filter((step) => step.state === "done")
    .map((step) => [step.text.trim(), ...step.calls.map((call) => `- \`${[call.tool, tellingArgument(call.args)].filter(Boolean).join(" ")}\` (${call.state})`)].filter((line) => line !== "").join("\n\n").replaceAll("\n\n- `", "\n- `"));
  const asked = turn.message.text.split("\n").map((line) => `> ${line}`).join("\n");
  return [asked, ...steps].filter((part) => part !== "").join("\n\n");
}
