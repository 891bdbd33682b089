/** What else a rule would have let through: said in a line, named when someone wants to know. */
import type { Proposal } from "../../approval/propose.ts";
import { Disclosure } from "../common/disclosure.tsx";
import { VisibleText } from "../common/visible-text.tsx";
import { useText } from "../text/use-text.ts";
import { actWords } from "./plan-words.ts";

export function AlsoMatches({ calls }: { calls: Proposal["alsoMatches"] }) {
  const text = useText();
  if (calls.length === 0) return <p data-testid="also-matches" className="text-2xs text-soft">{text.cards.alsoNothing}</p>;
  return (
    <div data-testid="also-matches">
      <Disclosure summary={<span className="text-warn">{text.cards.also(calls.length)}</span>} startsOpen={calls.length <= 3}>
        <ul className="max-h-24 overflow-y-auto ps-4.5 text-2xs text-soft">
          {calls.map((call) => <li key={call.call} className="break-words"><VisibleText value={actWords(call.summary, text)} oneLine /></li>)}
        </ul>
      </Disclosure>
    </div>
  );
}
