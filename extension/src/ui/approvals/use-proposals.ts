/**
 * The rules a card may propose, asked for once someone wants one; null while they come.
 *
 * Of a card with several calls only those that cover every one of them: a tick for all must hold for all. For other calls they are
 * other rules: what was proposed before is never shown for them.
 */
import { useEffect, useState } from "react";
import type { Proposal } from "../../approval/propose.ts";

export function useProposals(calls: readonly string[] | null, propose: ((call: string) => Promise<readonly Proposal[]>) | undefined): readonly Proposal[] | null {
  const [found, setFound] = useState<{ readonly key: string; readonly proposals: readonly Proposal[] } | null>(null);
  const key = calls?.join() ?? null;
  useEffect(() => {
    if (key === null || propose === undefined) return;
    let isCurrent = true;
    const [first, ...others] = key.split(",");
    void propose(first ?? "").then((proposals) => {
      if (isCurrent) setFound({ key, proposals: proposals.filter(({ alsoMatches }) => others.every((other) => alsoMatches.some(({ call }) => call === other))).map((each) => ({ ...each, alsoMatches: each.alsoMatches.filter(({ call }) => !others.includes(call)) })) });
    });
    return () => {
      isCurrent = false;
    };
  }, [key, propose]);
  return found !== null && found.key === key ? found.proposals : null;
}
