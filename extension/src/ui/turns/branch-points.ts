/** Where a conversation took more than one way: at each turn of the shown branch, the ways that part there. Pure. */
import type { BranchView, SessionView } from "../../agent/session-view.ts";

export interface BranchPoint {
  /** Of the way that is shown, from 1. */
  place: number;
  count: number;
  /** The branch to go to; null at the ends. */
  previous: string | null;
  next: string | null;
}

/** By the turn that is shown; turns with one way only are not in it. */
export function branchPoints(session: Pick<SessionView, "turns" | "branches">): ReadonlyMap<string, BranchPoint> {
  const points = new Map<string, BranchPoint>();
  if (session.branches.length < 2) return points;
  const shown = session.turns.map((turn) => turn.message.id);
  shown.forEach((turn, depth) => {
    const ways = waysAt(session.branches, shown.slice(0, depth), turn);
    const here = ways.findIndex((way) => way.turn === turn);
    if (ways.length < 2 || here === -1) return;
    points.set(turn, { place: here + 1, count: ways.length, previous: ways[here - 1]?.branch ?? null, next: ways[here + 1]?.branch ?? null });
  });
  return points;
}

export interface TakenBack {
  turn: string;
  text: string;
  branch: string;
  /** Turns that come back with it, itself first. */
  turns: readonly string[];
}

/** What once followed the end of the shown branch, newest first. */
export function takenBack(session: Pick<SessionView, "turns" | "branches">): readonly TakenBack[] {
  const shown = session.turns.map((turn) => turn.message.id);
  return waysAt(session.branches, shown, null)
    .map(({ turn, branch }) => {
      const turns = session.branches.find(({ id }) => id === branch)?.turns ?? [];
      return { turn, branch, text: turns[shown.length]?.text ?? "", turns: turns.slice(shown.length).map(({ id }) => id) };
    })
    .toReversed();
}

/** The different turns that follow these, oldest first, each with the newest branch that has it. The shown one keeps its place. */
function waysAt(branches: readonly BranchView[], before: readonly string[], shown: string | null): { turn: string; branch: string }[] {
  const ways: { turn: string; branch: string }[] = [];
  for (const branch of branches) {
    const turn = branch.turns[before.length]?.id ?? (branch.isCurrent ? shown : null);
    if (turn === null || turn === undefined || before.some((id, place) => branch.turns[place]?.id !== id)) continue;
    const known = ways.find((way) => way.turn === turn);
    if (known) known.branch = branch.id;
    else ways.push({ turn, branch: branch.id });
  }
  return ways;
}
