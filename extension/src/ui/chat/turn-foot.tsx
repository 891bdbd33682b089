/** The line under a turn: how it ended, how long it took, what it used, and what can be done with it. While it runs, that it runs. */
import type { TurnView } from "../../agent/session-view.ts";
import { formatCount } from "../../lib/format-count.ts";
import { classNames } from "../common/class-names.ts";
import { CopyButton } from "../common/copy-button.tsx";
import { formatDuration } from "../common/format-duration.ts";
import { formatPrice, formatShare } from "../common/format-share.ts";
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
  if (turn.endedAt === null) return turn.nearing && <p data-testid="nearing" className="text-2xs text-warn">{text.dock.nearing[turn.nearing.reason](formatShare(turn.nearing.share))}</p>;
  const { inputTokens, outputTokens } = turn.usage;
  const shown = [
    formatDuration(turn.endedAt - turn.startedAt, text),
    inputTokens === null && outputTokens === null ? null : text.chat.tokens(formatCount(inputTokens ?? 0), formatCount(outputTokens ?? 0)),
    turn.costUsd === null ? null : formatPrice(turn.costUsd),
    turn.modelLabel,
  ].filter((fact) => fact !== null && fact !== "");
  const answer = answerOf(turn);
  return (
    <div className="-mt-1 flex items-center gap-1">
      {/* The dot before each fact lies in the margin, so that none is left over where a line begins. */}
      <div className="min-w-0 flex-1 overflow-x-clip">
        <p className="-ms-4 flex flex-wrap text-2xs text-soft tabular-nums">
          <span className={classNames("ps-4", look[turn.status])}>{text.chat.turnState[turn.status]}</span>
          {shown.map((fact) => <span key={fact} className="flex"><span className="w-4 shrink-0 text-center"> · </span>{fact}</span>)}
        </p>
      </div>
      {answer !== "" && <CopyButton value={answer} label={text.turns.copy} />}
      <TurnMenu turn={turn} facts={facts} onEdit={onEdit} />
    </div>
  );
}
