/** What the session used and what it cost. A price that is not known is said to be so, and is never a zero. */
import type { SessionView } from "../../agent/session-view.ts";
import { formatCount } from "../../lib/format-count.ts";
import { FactList } from "../common/fact-list.tsx";
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
          { name: words.output, value: count(usage.outputTokens) },
          ...(usage.reasoningTokens === null ? [] : [{ name: words.reasoning, value: count(usage.reasoningTokens) }]),
          { name: words.cost, value: <span data-testid="session-cost">{cost}</span> },
        ]}
      />
      <h3 className="px-3 pt-2 text-2xs font-medium text-soft">{words.perTurn}</h3>
      <ol className="divide-y divide-line px-3 text-xs">
        {turns.map((turn) => (
          <li key={turn.message.id} className="flex items-baseline gap-2 py-1">
            <span className="min-w-0 flex-1 truncate">{turn.message.text}</span>
            <span className="shrink-0 text-2xs text-soft tabular-nums">{count(add(turn.usage.inputTokens, turn.usage.outputTokens))}</span>
            {turn.costUsd !== null && <span className="shrink-0 text-2xs tabular-nums">{formatPrice(turn.costUsd, text.language.tag)}</span>}
          </li>
        ))}
      </ol>
    </div>
  );
}

function add(left: number | null, right: number | null): number | null {
  return left === null ? right : right === null ? left : left + right;
}
