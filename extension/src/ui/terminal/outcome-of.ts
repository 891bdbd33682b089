/** How a command stands, and its line as one would type it. */
import { commandsOf, type CommandView } from "../../agent/commands.ts";
import type { SessionView } from "../../agent/session-view.ts";
import { quoteArgument } from "../../lib/quote-argument.ts";

export type Outcome = "running" | "exited" | "killed" | "background" | "failed" | "waiting" | "denied" | "cancelled";

export function outcomeOf({ state, ended }: Pick<CommandView, "state" | "ended">): Outcome {
  switch (state) {
    case "running":
      return "running";
    case "waiting":
    case "answered":
    case "queued":
    case "writing":
      return "waiting";
    case "denied":
      return "denied";
    case "cancelled":
    case "dropped":
      return "cancelled";
    default:
      if (ended === null) return "failed";
      return ended.outcome === "running" ? "background" : ended.outcome;
  }
}

export function lineOf({ command, args }: Pick<CommandView, "command" | "args">): string {
  return [command, ...args].map(quoteArgument).join(" ");
}

export function commandsIn(session: SessionView): readonly CommandView[] {
  return session.commands ?? commandsOf(session.turns);
}
