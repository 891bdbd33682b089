/** How a command ended, in a word that says it without its colour. */
import type { CommandView } from "../../agent/commands.ts";
import { Badge, type Tone } from "../common/badge.tsx";
import { Spinner } from "../common/spinner.tsx";
import { useText } from "../text/use-text.ts";
import { outcomeOf } from "./outcome-of.ts";

export function ExitBadge({ command }: { command: CommandView }) {
  const text = useText();
  const words = text.terminal;
  const outcome = outcomeOf(command);
  const exitCode = command.ended?.exitCode ?? null;
  const signal = command.ended?.signal ?? null;
  if (outcome === "exited") return <Badge tone={exitCode === 0 ? "good" : exitCode === null ? "neutral" : "bad"}>{exitCode === null ? words.ended : words.exit(exitCode)}</Badge>;
  if (outcome === "killed") return <Badge tone="warn">{signal === null ? words.killed : words.killedBy(signal)}</Badge>;
  const tones: Record<typeof outcome, Tone> = { running: "accent", background: "accent", failed: "bad", waiting: "warn", denied: "neutral", cancelled: "neutral" };
  return <Badge tone={tones[outcome]} icon={outcome === "running" ? <Spinner size={10} /> : undefined}>{words.states[outcome]}</Badge>;
}
