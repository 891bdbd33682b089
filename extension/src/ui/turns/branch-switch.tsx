/** Under a message that was said in more than one way: which way is shown, and the ones before and after it. */
import { ChevronLeft, ChevronRight } from "lucide-react";
import { useChat } from "../chat/chat.ts";
import { IconButton } from "../common/icon-button.tsx";
import { useText } from "../text/use-text.ts";
import type { BranchPoint } from "./branch-points.ts";

export function BranchSwitch({ point }: { point: BranchPoint }) {
  const text = useText();
  const chat = useChat();
  const go = (branch: string | null) => {
    if (branch !== null && chat?.session) void chat.send("selectBranch", { session: chat.session, branch });
  };
  return (
    <nav aria-label={text.turns.tree} data-testid="branch-switch" className="flex items-center text-2xs text-soft tabular-nums">
      <IconButton className="size-5" label={text.turns.previous} data-testid="branch-previous" disabled={point.previous === null || !chat || chat.busy} icon={<ChevronLeft size={12} />} onClick={() => go(point.previous)} />
      <span aria-hidden>{point.place}/{point.count}</span>
      <span className="sr-only">{text.turns.branchOf(point.place, point.count)}</span>
      <IconButton className="size-5" label={text.turns.next} data-testid="branch-next" disabled={point.next === null || !chat || chat.busy} icon={<ChevronRight size={12} />} onClick={() => go(point.next)} />
    </nav>
  );
}
