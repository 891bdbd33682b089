/** Which rule an answer makes: a proposed one, or one with paths of the person's own. Without calls nobody wants one yet, and nothing is asked of the engine. */
import { useCallback, useId, useState } from "react";
import type { Proposal } from "../../approval/propose.ts";
import type { RuleScope } from "../../wire/rule.ts";
import { useProposals } from "./use-proposals.ts";

export interface Remembering {
  id: string;
  proposals: readonly Proposal[] | null;
  place: number;
  /** What will be remembered; null: nothing can be. */
  chosen: Proposal | null;
  scope: RuleScope;
  choose(place: number): void;
  setOwn(own: Proposal | null): void;
  setScope(scope: RuleScope): void;
}

export function useRemembering(calls: readonly string[] | null, propose: ((call: string) => Promise<readonly Proposal[]>) | undefined): Remembering {
  const id = useId();
  const proposals = useProposals(calls, propose);
  const [place, setPlace] = useState(0);
  const [own, setOwn] = useState<Proposal | null>(null);
  // A session is what people mean most often; wider is a click further, and never the beginning.
  const [scope, setScope] = useState<RuleScope>("session");
  const choose = useCallback((next: number) => {
    setOwn(null);
    setPlace(next);
  }, []);
  return { id, proposals, place, chosen: own ?? proposals?.[place] ?? null, scope, choose, setOwn, setScope };
}
