/** What the session used and what it cost. A price that is not known is said to be so, and is never a zero. */
import type { SessionView, StepView, TurnView } from "../../agent/session-view.ts";
import { formatCount } from "../../lib/format-count.ts";
import { Disclosure } from "../common/disclosure.tsx";
import { FactList } from "../common/fact-list.tsx";
import { FactsLine } from "../common/facts-line.tsx";
import { formatPrice } from "../common/format-share.ts";
import { useText } from "../text/use-text.ts";

export function CostView({ session }: { session: Pick<SessionView, "usage" | "turns"> }) {
  const text = useText();
  const words = text.meter;
  const { usage, turns } = session;
  const prices = turns.map((turn) => turn.costUsd);
  const known = prices.filter((price) => price !== null);
  const sum = formatPrice(known.reduce((total, price) => total + price, 0), text.language.tag);
  const cost = known.length === 0 ? words.costUnknown : known.length < turns.length ? words.costPartly(sum) : sum;
  const count = (value: number | null) => (value === null ? words.notCounted : words.tokens(formatCount(value, text.language.tag)));
  return (
    <div data-testid="cost-view" className="-mx-3">
      <FactList
        facts={[
          { name: words.input, value: count(usage.inputTokens) },
          ...(usage.cachedInputTokens === null ? [] : [{ name: words.cached, value: count(usage.cachedInputTokens) }]),
          ...(usage.cacheWriteTokens == null ? [] : [{ name: words.cacheWrite, value: count(usage.cacheWriteTokens) }]),
          { name: words.output, value: count(usage.outputTokens) },
          ...(usage.reasoningTokens === null ? [] : [{ name: words.reasoning, value: count(usage.reasoningTokens) }]),
          { name: words.cost, value: <span data-testid="session-cost">{cost}</span> },
        ]}
      />
      <h3 className="px-3 pt-2 text-2xs font-medium text-soft">{words.perTurn}</h3>
      <ol className="divide-y divide-line px-3 text-xs">
        {turns.map((turn) => (
          <li key={turn.message.id} data-testid="turn-cost">
            {turn.steps.length < 2 ? <div className="flex ps-4.5 py-1"><TurnUse turn={turn} /></div> : <Disclosure testId="turn-steps" summary={<TurnUse turn={turn} />}><ol>{turn.steps.map((step) => <StepUse key={step.id} step={step} />)}</ol></Disclosure>}
          </li>
        ))}
      </ol>
    </div>
  );
}

function TurnUse({ turn }: { turn: TurnView }) {
  const text = useText();
  const sum = add(turn.usage.inputTokens, turn.usage.outputTokens);
  return (
    <span className="flex min-w-0 flex-1 items-baseline gap-2 text-ink">
      <span className="min-w-0 flex-1 truncate">{turn.message.text}</span>
      <span className="shrink-0 text-2xs text-soft tabular-nums">{sum === null ? text.meter.notCounted : text.meter.tokens(formatCount(sum, text.language.tag))}</span>
      {turn.costUsd !== null && <span className="shrink-0 text-2xs tabular-nums">{formatPrice(turn.costUsd, text.language.tag)}</span>}
    </span>
  );
}

/** What one request of a turn took. */
function StepUse({ step }: { step: StepView }) {
  const text = useText();
  const words = text.meter;
  const count = (value: number) => formatCount(value, text.language.tag);
  const { usage } = step;
  return (
    <li data-testid="step-cost" className="flex items-start gap-2 py-0.5 ps-4.5 text-2xs text-soft tabular-nums">
      <span className="shrink-0">{words.step(step.index + 1)}</span>
      <span className="min-w-0 flex-1">
        <FactsLine>
          {usage === null || (usage.inputTokens === null && usage.outputTokens === null) ? words.notCounted : text.chat.tokens(count(usage.inputTokens ?? 0), count(usage.outputTokens ?? 0))}
          {usage?.cachedInputTokens ? words.fromCache(count(usage.cachedInputTokens)) : null}
          {usage?.cacheWriteTokens ? words.toCache(count(usage.cacheWriteTokens)) : null}
        </FactsLine>
      </span>
      {step.costUsd !== null && <span className="shrink-0">{formatPrice(step.costUsd, text.language.tag)}</span>}
    </li>
  );
}

function add(left: number | null, right: number | null): number | null {
  return left === null ? right : right === null ? left : left + right;
}
