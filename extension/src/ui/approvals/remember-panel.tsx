/** "From now on": how long an answer holds and what it covers, the narrowest first, each with what else it would have covered. */
import type { Proposal } from "../../approval/propose.ts";
import { RULE_SCOPES, type RuleScope, type RuleTarget } from "../../wire/rule.ts";
import { Pills } from "../common/pills.tsx";
import { Spinner } from "../common/spinner.tsx";
import { useText } from "../text/use-text.ts";
import { AlsoMatches } from "./also-matches.tsx";
import { PathField } from "./path-field.tsx";
import { RuleWords } from "./rule-words.tsx";
import type { Remembering } from "./use-remembering.ts";

interface RememberPanelProps {
  remembering: Remembering;
  /** More than one call is meant. */
  many: boolean;
  onPreview: (target: RuleTarget) => Promise<Proposal["alsoMatches"] | null>;
}

export function RememberPanel({ remembering, many, onPreview }: RememberPanelProps) {
  const text = useText();
  const words = text.cards;
  const { proposals, chosen, scope } = remembering;
  if (proposals === null) return <p className="flex items-center gap-2 text-xs text-soft"><Spinner size={12} />{words.looking}</p>;
  if (proposals.length === 0 || chosen === null) return <p className="text-xs text-soft" data-testid="no-rule">{many ? words.notTogether : words.noRule}</p>;
  return (
    <div className="flex flex-col gap-2" data-testid="remember-panel">
      <Pills<RuleScope> label={words.scope} testId="remember-scope" pills={RULE_SCOPES.map((value) => ({ value, label: words.scopes[value], testId: `scope-${value}` }))} value={scope} onChange={remembering.setScope} />
      <fieldset className="min-w-0">
        <legend className="pb-1 text-2xs font-medium text-soft">{words.covers}</legend>
        {proposals.map((proposal, place) => (
          <label key={JSON.stringify(proposal.target)} data-testid="rule-option" className="flex cursor-pointer items-start gap-2 py-1 text-xs">
            <input type="radio" name={`rule-${remembering.id}`} checked={place === remembering.place} onChange={() => remembering.choose(place)} className="mt-0.5 size-3.5 shrink-0 cursor-pointer accent-accent" />
            <RuleWords target={proposal.target} />
          </label>
        ))}
      </fieldset>
      {chosen.target.path !== undefined && <PathField key={remembering.place} target={chosen.target} onPreview={onPreview} onChange={remembering.setOwn} />}
      <AlsoMatches calls={chosen.alsoMatches} />
    </div>
  );
}
