/** The paths of a rule, to be made wider or narrower by hand; what it would then have covered follows what is typed. */
import { useEffect, useState } from "react";
import type { Proposal } from "../../approval/propose.ts";
import type { RuleTarget } from "../../wire/rule.ts";
import { TextField } from "../common/text-field.tsx";
import { useText } from "../text/use-text.ts";

interface PathFieldProps {
  target: RuleTarget;
  onPreview: (target: RuleTarget) => Promise<Proposal["alsoMatches"] | null>;
  /** Null while what stands there is no rule, or not known to be one. */
  onChange: (own: Proposal | null) => void;
}

/** A pause in typing: asking for each letter would be noise. */
const PAUSE_MS = 250;

export function PathField({ target, onPreview, onChange }: PathFieldProps) {
  const text = useText();
  const [path, setPath] = useState(target.path ?? "");
  const [isBad, setBad] = useState(false);
  useEffect(() => {
    if (path === target.path) return;
    let isCurrent = true;
    const timer = setTimeout(() => {
      const own = { ...target, path };
      void onPreview(own).then((alsoMatches) => {
        if (!isCurrent) return;
        setBad(alsoMatches === null);
        onChange(alsoMatches === null ? null : { target: own, alsoMatches });
      });
    }, PAUSE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [path, target, onPreview, onChange]);
  return <TextField label={text.cards.pathLabel} data-testid="rule-path" value={path} spellCheck={false} error={isBad || path === "" ? text.cards.notARule : undefined} onChange={(event) => setPath(event.target.value)} />;
}
