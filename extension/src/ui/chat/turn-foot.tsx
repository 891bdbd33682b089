/** The line under a turn: how it ended, how long it took, what it used. While it runs, that it runs. */
import type { TurnView } from "../../agent/session-view.ts";
import { formatCount } from "../../lib/format-count.ts";
import { formatDuration } from "../common/format-duration.ts";
import { useText } from "../text/use-text.ts";

const look = { running: "text-accent", needs_you: "text-warn", complete: "text-soft", cancelled: "text-soft", failed: "text-bad" };

export function TurnFoot({ turn }: { turn: TurnView }) {
  const text = useText();
  if (turn.endedAt === null) return turn.nearing && <p data-testid="nearing" className="text-2xs text-warn">{text.dock.nearing[turn.nearing.reason](share(turn.nearing.share))}</p>;
  const { inputTokens, outputTokens } = turn.usage;
  const facts = [
    formatDuration(turn.endedAt - turn.startedAt, text),
    inputTokens === null && outputTokens === null ? null : text.chat.tokens(formatCount(inputTokens ?? 0), formatCount(outputTokens ?? 0)),
    turn.modelLabel,
  ].filter((fact) => fact !== null && fact !== "");
  return (
    <p className="flex flex-wrap gap-x-1.5 text-2xs text-soft tabular-nums">
      <span className={look[turn.status]}>{text.chat.turnState[turn.status]}</span>
      {facts.map((fact) => <span key={fact}>· {fact}</span>)}
    </p>
  );
}

function share(value: number): string {
  return new Intl.NumberFormat(document.documentElement.lang || "en", { style: "percent", maximumFractionDigits: 0 }).format(value);
}
