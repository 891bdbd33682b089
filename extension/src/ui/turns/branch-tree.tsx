/** Every way the conversation took, as a tree: each branch under the one it left, with the turns that are its own. */
import { GitBranch } from "lucide-react";
import type { BranchView } from "../../agent/session-view.ts";
import type { Chat } from "../chat/chat.ts";
import { Badge } from "../common/badge.tsx";
import { classNames } from "../common/class-names.ts";
import { Sheet } from "../common/sheet.tsx";
import { FactsLine } from "../common/facts-line.tsx";
import { TimeAgo } from "../common/time-ago.tsx";
import { useText } from "../text/use-text.ts";
import { treeOfBranches } from "./tree-of-branches.ts";

interface BranchTreeProps {
  chat: Chat;
  branches: readonly BranchView[];
  onClose: () => void;
}

/** Deeper is drawn at the same place: a panel has no more room, and the words say it too. */
const DEEPEST = 4;
const indents = ["ps-2", "ps-5", "ps-8", "ps-11", "ps-14"];

export function BranchTree({ chat, branches, onClose }: BranchTreeProps) {
  const text = useText();
  const words = text.turns;
  const choose = (branch: string) => {
    if (chat.session !== null) void chat.send("selectBranch", { session: chat.session, branch });
    onClose();
  };
  return (
    <Sheet testId="branch-tree" title={words.tree} hint={words.treeHint} onClose={onClose}>
      <ul className="flex flex-col gap-0.5">
        {treeOfBranches(branches).map(({ branch, depth, own }) => (
          <li key={branch.id}>
            <button
              type="button"
              data-testid="branch"
              data-branch={branch.id}
              aria-current={branch.isCurrent}
              disabled={chat.busy && !branch.isCurrent}
              onClick={() => choose(branch.id)}
              className={classNames("flex w-full items-start gap-2 rounded-md py-1.5 pe-2 text-start hover:not-disabled:bg-sunken disabled:opacity-50", indents[Math.min(depth, DEEPEST)], branch.isCurrent && "bg-accent-wash")}
            >
              <GitBranch aria-hidden size={13} className="mt-0.5 shrink-0 text-soft" />
              <span className="min-w-0 flex-1">
                <span className="line-clamp-2 text-sm">{own[0]?.text ?? words.branchKinds[branch.kind]}</span>
                <span className="block text-2xs text-soft">
                  <FactsLine>
                    {words.branchKinds[branch.kind]}
                    {words.turnCount(own.length)}
                    {branch.at > 0 && <TimeAgo at={branch.at} />}
                  </FactsLine>
                </span>
              </span>
              {branch.isCurrent && <Badge tone="accent">{words.here}</Badge>}
            </button>
          </li>
        ))}
      </ul>
    </Sheet>
  );
}
