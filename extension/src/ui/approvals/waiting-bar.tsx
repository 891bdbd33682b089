/** Above the composer: what waits for the person where it is out of sight, and the way to it. */
import { Hand } from "lucide-react";
import type { ToolCallView } from "../../agent/session-view.ts";
import { Button } from "../common/button.tsx";
import { VisibleText } from "../common/visible-text.tsx";
import { actWords } from "./plan-words.ts";
import { useText } from "../text/use-text.ts";
import { useOutOfSight } from "./use-out-of-sight.ts";
import { waitingCards } from "./waiting-cards.ts";

interface WaitingBarProps {
  waiting: readonly ToolCallView[];
  /** Why the turn stands still, where it does. */
  paused?: string | null;
  /** The call of the sub-agent that waits; null: the conversation itself. */
  agent?: string | null;
}

export function WaitingBar({ waiting, paused = null, agent = null }: WaitingBarProps) {
  const text = useText();
  const [first] = waiting;
  const isOut = useOutOfSight([...waiting.map(({ id }) => id), paused ?? ""].join(" ").trim(), agent);
  if ((!first && paused === null) || !isOut) return null;
  const byAgent = agent !== null;
  const show = () => {
    const [card] = waitingCards(agent);
    card?.scrollIntoView({ block: "start" });
    card?.focus({ preventScroll: true });
  };
  const what = first?.approval ? actWords(first.approval.plan.summary, text) : (first?.tool ?? "");
  const words = !first ? (byAgent ? text.dock.needsChild(paused ?? "") : text.dock.paused(paused ?? "")) : byAgent ? text.dock.needsChild(what) : (first.question?.question.title ?? text.approval.bar(what));
  return (
    <div data-testid="waiting-bar" data-wash className="flex items-center gap-2 rounded-md bg-warn-wash py-0.5 pe-0.5 ps-2.5 text-xs text-warn">
      <Hand aria-hidden size={12} className="shrink-0" />
      <span className="min-w-0 flex-1 truncate">
        <VisibleText value={words} oneLine />
        {waiting.length > 1 && <span> {text.approval.more(waiting.length - 1)}</span>}
      </span>
      <Button weight="quiet" data-testid="waiting-show" onClick={show}>{text.approval.show}</Button>
    </div>
  );
}
