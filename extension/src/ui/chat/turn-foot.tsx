/** The line under a turn: how it ended, how long it took, what it used, and what can be done with it. While it runs, that it runs. */
import type { TurnView } from "../../agent/session-view.ts";
import { formatCount } from "../../lib/format-count.ts";
import { CopyButton } from "../common/copy-button.tsx";
import { FactsLine } from "../common/facts-line.tsx";
import { formatDuration } from "../common/format-duration.ts";
import { formatPrice, formatShare } from "../common/format-share.ts";
import { modelOf } from "../models/model-name.ts";
import { useText } from "../text/use-text.ts";
import type { TurnFacts } from "../turns/turn-facts.ts";
import { TurnMenu } from "../turns/turn-menu.tsx";
import { answerOf } from "../turns/answer-of.ts";

const look = { running: "text-accent", needs_you: "text-warn", complete: "text-soft", cancelled: "text-soft", failed: "text-bad" };

interface TurnFootProps {
  turn: TurnView;
  facts: TurnFacts;
  onEdit: () => void;
}

export function TurnFoot({ turn, facts, onEdit }: TurnFootProps) {
  const text = useText();
  if (turn.endedAt === null) return turn.nearing && <p data-testid="nearing" className="text-2xs text-warn">{text.dock.nearing[turn.nearing.reason](formatShare(turn.nearing.share, text.language.tag))}</p>;
  const { inputTokens, outputTokens } = turn.usage;
  const answer = answerOf(turn);
  return (
    <div className="-mt-1 flex items-center gap-1">
      <p className="min-w-0 flex-1 text-2xs text-soft tabular-nums">
        <FactsLine>
          <span className={look[turn.status]}>{text.chat.turnState[turn.status]}</span>
          {formatDuration(turn.endedAt - turn.startedAt, text)}
          {(inputTokens !== null || outputTokens !== null) && text.chat.tokens(formatCount(inputTokens ?? 0, text.language.tag), formatCount(outputTokens ?? 0, text.language.tag))}
          {turn.costUsd !== null && formatPrice(turn.costUsd, text.language.tag)}
          {modelOf(turn, text)}
        </FactsLine>
      </p>
      {answer !== "" && <CopyButton value={answer} label={text.turns.copy} />}
      <TurnMenu turn={turn} facts={facts} onEdit={onEdit} />
    </div>
  );
}
