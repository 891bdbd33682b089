/**
 * Which rule an answer makes: a proposed one, or one with paths of the person's own. Without calls nobody wants one yet, and nothing is
 * asked of the engine.
 */
import { useId } from "react";
import type { Proposal } from "../../approval/propose.ts";
import type { RuleScope } from "../../wire/rule.ts";
import { useKept } from "../common/use-kept.ts";
import type { CardActs } from "./card-acts.ts";
import { type OwnPaths, useOwnPaths } from "./use-own-paths.ts";
import { useProposals } from "./use-proposals.ts";

export interface Remembering {
  id: string;
  proposals: readonly Proposal[] | null;
  place: number;
  /** The paths as they stand in their field; null: the rule speaks of none. */
  path: string | null;
  paths: OwnPaths["state"];
  /** What will be remembered: what is on the screen, or null. */
  chosen: Proposal | null;
  scope: RuleScope;
  choose(place: number): void;
  setPath(path: string): void;
  setScope(scope: RuleScope): void;
}

interface Choice {
  /** The calls it was made for; for others it begins anew. */
  readonly calls: string;
  readonly place: number;
  readonly path: string | null;
}

export function useRemembering(card: string, calls: readonly string[] | null, acts: CardActs | undefined): Remembering {
  const id = useId();
  const proposals = useProposals(calls, acts?.propose);
  const key = calls?.join() ?? "";
  const [kept, setChoice] = useKept<Choice>(card, "rule", () => ({ calls: key, place: 0, path: null }));
  const { place, path } = kept.calls === key ? kept : { place: 0, path: null };
  // A session is what people mean most often; wider is a click further, and never the beginning.
  const [scope, setScope] = useKept<RuleScope>(card, "scope", () => "session");
  const proposed = proposals?.[place] ?? null;
  const own = useOwnPaths(path, proposed?.target ?? null, acts?.preview);
  return {
    id,
    proposals,
    place,
    path: proposed?.target.path === undefined ? null : (path ?? proposed.target.path),
    paths: own.state,
    chosen: own.state === "known" ? own.proposal : own.state === "proposed" ? proposed : null,
    scope,
    choose: (next) => setChoice({ calls: key, place: next, path: null }),
    setPath: (next) => setChoice({ calls: key, place, path: next }),
    setScope,
  };
}
