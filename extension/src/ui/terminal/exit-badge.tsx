/** How a command ended, in a word that says it without its colour. */
import { Badge, type Tone } from "../common/badge.tsx";
import { Spinner } from "../common/spinner.tsx";
import { useText } from "../text/use-text.ts";
import type { CommandView } from "./commands-of.ts";

export function ExitBadge({ command }: { command: CommandView }) {
  const text = useText();
  const words = text.terminal;
  const { state, exitCode, signal } = command;
  if (state === "exited") return exitCode === 0 ? <Badge tone="good">{words.exitGood}</Badge> : <Badge tone={exitCode === null ? "neutral" : "bad"}>{exitCode === null ? words.ended : words.exit(exitCode)}</Badge>;
  if (state === "killed") return <Badge tone="warn">{signal === null ? words.killed : words.killedBy(signal)}</Badge>;
  const tones: Record<typeof state, Tone> = { running: "accent", background: "accent", failed: "bad", waiting: "warn", cancelled: "neutral" };
  return <Badge tone={tones[state]} icon={state === "running" ? <Spinner size={10} /> : undefined}>{words.states[state]}</Badge>;
}
