/** A message of the person and everything the agent did about it. An old turn folds its way and keeps its answer. */
import { Info } from "lucide-react";
import { memo } from "react";
import type { TurnView } from "../../agent/session-view.ts";
import { Disclosure } from "../common/disclosure.tsx";
import { useText } from "../text/use-text.ts";
import type { ChatActions } from "./chat-actions.ts";
import { Step } from "./step.tsx";
import { TurnFault } from "./turn-fault.tsx";
import { TurnFoot } from "./turn-foot.tsx";
import { UserMessage } from "./user-message.tsx";

interface TurnProps {
  turn: TurnView;
  /** Not the last one: its steps fold to a line. */
  past: boolean;
  actions: ChatActions;
}

/** Views that did not change are the same objects, so a streamed word draws one step again and no more. */
export const Turn = memo(function Turn({ turn, past, actions }: TurnProps) {
  const text = useText();
  const folds = past && turn.status === "complete" && turn.steps.length > 1;
  const shown = folds ? turn.steps.slice(-1) : turn.steps;
  const folded = folds ? turn.steps.slice(0, -1) : [];
  return (
    <section data-testid="turn" data-state={turn.status} className="flex flex-col gap-3">
      <UserMessage message={turn.message.text} />
      {folded.length > 0 && (
        <Disclosure summary={text.chat.steps(folded.length)}>
          <div className="flex flex-col gap-3 border-l-2 border-line pt-1 pl-3">
            {folded.map((step) => <Step key={step.id} step={step} actions={actions} />)}
          </div>
        </Disclosure>
      )}
      {shown.map((step) => <Step key={step.id} step={step} actions={actions} />)}
      {turn.notices.map((notice) => (
        <p key={notice} className="flex items-start gap-1.5 text-xs text-soft"><Info aria-hidden size={12} className="mt-0.5 shrink-0" />{notice}</p>
      ))}
      <TurnFault turn={turn} onResume={actions.resume} />
      <TurnFoot turn={turn} />
    </section>
  );
});
