/** Above the composer: what waits for the person, and the way to it. */
import { Hand } from "lucide-react";
import type { ToolCallView } from "../../agent/session-view.ts";
import { Button } from "../common/button.tsx";
import { VisibleText } from "../common/visible-text.tsx";
import { useText } from "../text/use-text.ts";

interface WaitingBarProps {
  waiting: readonly ToolCallView[];
  onShow: () => void;
}

export function WaitingBar({ waiting, onShow }: WaitingBarProps) {
  const text = useText();
  const [first] = waiting;
  if (!first) return null;
  const what = first.question?.question.title ?? first.approval?.plan.summary ?? first.tool;
  return (
    <div data-testid="waiting-bar" data-wash className="flex items-center gap-2 rounded-md bg-warn-wash py-0.5 pr-0.5 pl-2.5 text-xs text-warn">
      <Hand aria-hidden size={12} className="shrink-0" />
      <span className="min-w-0 flex-1 truncate">
        <VisibleText value={first.question ? what : text.approval.bar(what)} oneLine />
        {waiting.length > 1 && <span> {text.approval.more(waiting.length - 1)}</span>}
      </span>
      <Button weight="quiet" onClick={onShow}>{text.approval.show}</Button>
    </div>
  );
}
