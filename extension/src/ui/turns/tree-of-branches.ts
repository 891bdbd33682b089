/** Branches in the order of a tree: each below the one it was made on, with how deep it stands and which turns are its own. Pure. */
import type { BranchView } from "../../agent/session-view.ts";

export interface TreeRow {
  branch: BranchView;
  depth: number;
  /** After the place where it left its parent. */
  own: BranchView["turns"];
}

export function treeOfBranches(branches: readonly BranchView[]): readonly TreeRow[] {
  const known = new Set(branches.map(({ id }) => id));
  const below = (parent: string | null, depth: number): TreeRow[] =>
    branches
      // A parent that is not there must not hide its children.
      .filter((branch) => (branch.parent !== null && known.has(branch.parent) ? branch.parent === parent : parent === null))
      .flatMap((branch) => {
        const left = branch.turns.findIndex((turn) => turn.id === branch.from);
        return [{ branch, depth, own: branch.turns.slice(left + 1) }, ...below(branch.id, depth + 1)];
      });
  return below(null, 0);
}
