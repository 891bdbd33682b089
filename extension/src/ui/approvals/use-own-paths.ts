/**
 * Paths of the person's own in the place of those a rule was proposed with. What they would have covered is asked for after a pause in
 * typing; until the answer is there they are no rule, and neither is what stood there before.
 */
import { useEffect, useState } from "react";
import type { Proposal } from "../../approval/propose.ts";
import type { RuleTarget } from "../../wire/rule.ts";

/** A pause in typing: asking for each letter would be noise. */
const PAUSE_MS = 250;

export type OwnPaths = { readonly state: "proposed" | "unknown" | "bad" } | { readonly state: "known"; readonly proposal: Proposal };

/** `path` is null where nothing was typed. */
export function useOwnPaths(path: string | null, target: RuleTarget | null, preview: ((target: RuleTarget) => Promise<Proposal["alsoMatches"] | null>) | undefined): OwnPaths {
  const [answer, setAnswer] = useState<{ readonly key: string; readonly alsoMatches: Proposal["alsoMatches"] | null } | null>(null);
  const own = path === null || target === null || path === target.path ? null : { ...target, path };
  const key = own === null || own.path === "" ? null : JSON.stringify(own);
  useEffect(() => {
    if (key === null || preview === undefined) return;
    let isCurrent = true;
    const timer = setTimeout(() => {
      void preview(JSON.parse(key) as RuleTarget).then((alsoMatches) => isCurrent && setAnswer({ key, alsoMatches }));
    }, PAUSE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [key, preview]);
  if (own === null) return { state: "proposed" };
  if (own.path === "") return { state: "bad" };
  if (answer === null || answer.key !== key) return { state: "unknown" };
  return answer.alsoMatches === null ? { state: "bad" } : { state: "known", proposal: { target: own, alsoMatches: answer.alsoMatches } };
}
