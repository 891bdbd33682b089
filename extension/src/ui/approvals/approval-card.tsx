/**
 * One question to the person: may this happen?
 *
 * The whole plan is in the card. Allow works only when every part was open once and the card has stood for a moment;
 * it never has the focus by itself. Head and buttons stick to the edges of the view, so that a long plan keeps both in sight.
 */
import { type KeyboardEvent, useRef, useState } from "react";
import type { ToolCallView } from "../../agent/session-view.ts";
import { useText } from "../text/use-text.ts";
import { ApprovalActions } from "./approval-actions.tsx";
import type { CardAnswer } from "./approval-answer.ts";
import { ApprovalHead } from "./approval-head.tsx";
import { PlannedCall } from "./planned-call.tsx";
import { useArmed } from "./use-armed.ts";
import { useHandBackFocus } from "./use-hand-back-focus.ts";
import { useSent } from "./use-sent.ts";
import { useOpenedParts } from "./use-opened-parts.ts";

/** A call whose plan waits: the type says what the projection promises. */
export type WaitingCall = ToolCallView & { readonly approval: NonNullable<ToolCallView["approval"]> };

interface ApprovalCardProps {
  /** One call, or the calls of one group. */
  calls: readonly WaitingCall[];
  /** Resolves to false where the answer was not taken: the card asks again. */
  onAnswer: (answer: CardAnswer) => Promise<boolean>;
}

export function ApprovalCard({ calls, onAnswer }: ApprovalCardProps) {
  const text = useText();
  const armed = useArmed();
  const plans = calls.map((call) => call.approval.plan);
  const parts = useOpenedParts(plans);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [noting, setNoting] = useState(false);
  const [confirming, setConfirming] = useState(false);
  const [sent, setSent] = useSent();
  const card = useRef<HTMLElement>(null);
  useHandBackFocus(card);

  const chosen = calls.filter((call) => !left.has(call.id)).map((call) => call.id);
  const canAllow = armed && !sent && parts.unread === 0 && chosen.length > 0;
  const answer = async (allowed: readonly string[], note?: string) => {
    if (!armed || sent) return;
    setSent(true);
    const denied = calls.map((call) => call.id).filter((id) => !allowed.includes(id));
    if (!(await onAnswer({ allowed, denied, ...(note ? { note } : {}) }))) setSent(false);
  };
  // Denying many at once is a slip more often than a wish, so it is asked again.
  const deny = (note?: string) => (calls.length > 1 && !confirming && note === undefined ? setConfirming(true) : void answer([], note));
  const closeNote = () => {
    setNoting(false);
    card.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const typing = event.target instanceof HTMLTextAreaElement || event.target instanceof HTMLInputElement;
    if (typing || event.ctrlKey || event.metaKey || event.altKey || event.repeat || !armed) return;
    if (event.key === "a" && canAllow) void answer(chosen);
    else if (event.key === "d") deny();
    else if (event.key === "n") setNoting(true);
    else return;
    event.preventDefault();
  };
  const toggle = (id: string) => {
    const next = new Set(left);
    if (!next.delete(id)) next.add(id);
    setLeft(next);
  };

  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the keys are shortcuts for buttons that are in the card.
    <article
      ref={card}
      tabIndex={-1}
      data-region
      data-testid="approval-card"
      data-tool={plans[0]?.tool}
      data-call={calls[0]?.id}
      data-armed={armed}
      aria-label={calls.length > 1 ? text.approval.groupTitle(calls.length) : text.approval.title(plans[0]?.tool ?? "")}
      onKeyDown={onKeyDown}
      className="rounded-lg border border-warn/60 bg-surface focus-visible:rounded-lg"
    >
      <ApprovalHead plans={plans} />
      <div className="divide-y divide-line">
        {calls.map((call) => (
          <PlannedCall key={call.id} call={call} parts={parts} {...(calls.length > 1 ? { chosen: !left.has(call.id), onChoose: () => toggle(call.id) } : {})} />
        ))}
      </div>
      <ApprovalActions
        count={calls.length}
        chosen={chosen.length}
        unread={parts.unread}
        canAllow={canAllow}
        armed={armed}
        sent={sent}
        noting={noting}
        confirming={confirming}
        onOpenAll={parts.openAll}
        onAllow={() => void answer(chosen)}
        onDeny={deny}
        onNote={() => setNoting(true)}
        onCloseNote={closeNote}
      />
    </article>
  );
}
