/** "From now on": how long an answer holds and what it covers, the narrowest first, each with what else it would have covered. */
import { RULE_SCOPES, type RuleScope } from "../../wire/rule.ts";
import { Pills } from "../common/pills.tsx";
import { Spinner } from "../common/spinner.tsx";
import { TextField } from "../common/text-field.tsx";
import { useText } from "../text/use-text.ts";
import { AlsoMatches } from "./also-matches.tsx";
import { RuleWords } from "./rule-words.tsx";
import type { Remembering } from "./use-remembering.ts";

interface RememberPanelProps {
  remembering: Remembering;
  /** More than one call is meant. */
  many: boolean;
}

export function RememberPanel({ remembering, many }: RememberPanelProps) {
  const text = useText();
  const words = text.cards;
  const { proposals, path, paths, chosen, scope } = remembering;
  if (proposals === null) return <p className="flex items-center gap-2 text-xs text-soft"><Spinner size={12} />{words.looking}</p>;
  if (proposals.length === 0) return <p className="text-xs text-soft" data-testid="no-rule">{many ? words.notTogether : words.noRule}</p>;
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
      {path !== null && <TextField label={words.pathLabel} data-testid="rule-path" value={path} spellCheck={false} error={paths === "bad" ? words.notARule : undefined} onChange={(event) => remembering.setPath(event.target.value)} />}
      {paths === "unknown" && <p className="flex items-center gap-2 text-2xs text-soft"><Spinner size={11} />{words.lookingPaths}</p>}
      {chosen !== null && <AlsoMatches calls={chosen.alsoMatches} />}
    </div>
  );
}
