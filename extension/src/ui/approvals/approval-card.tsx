/**
 * One question to the person: may this happen?
 *
 * The whole plan is in the card. Allow works only when every part was open once and the card has stood for a moment;
 * it never has the focus by itself. Head and buttons stick to the edges of the view, so that a long plan keeps both in sight.
 */
import { useRef, useState } from "react";
import type { LeaseDraft } from "../../app/grants.ts";
import type { ToolCallView } from "../../agent/session-view.ts";
import { useText } from "../text/use-text.ts";
import { ApprovalActions } from "./approval-actions.tsx";
import type { CardAnswer } from "./approval-answer.ts";
import { ApprovalHead } from "./approval-head.tsx";
import type { CardActs, Reach } from "./card-acts.ts";
import { cardKeys } from "./card-keys.ts";
import { leaseFor } from "./lease-panel.tsx";
import { PlannedCall } from "./planned-call.tsx";
import { ReachPart } from "./reach-part.tsx";
import { useArmed } from "./use-armed.ts";
import { useHandBackFocus } from "./use-hand-back-focus.ts";
import { hunkIds, useHunkChoice } from "./use-hunk-choice.ts";
import { useRemembering } from "./use-remembering.ts";
import { useSent } from "./use-sent.ts";
import { useOpenedParts } from "./use-opened-parts.ts";

/** A call whose plan waits: the type says what the projection promises. */
export type WaitingCall = ToolCallView & { readonly approval: NonNullable<ToolCallView["approval"]> };

interface ApprovalCardProps {
  /** One call, or the calls of one group. */
  calls: readonly WaitingCall[];
  /** Resolves to false where the answer was not taken: the card asks again. */
  onAnswer: (answer: CardAnswer) => Promise<boolean>;
  acts?: CardActs;
}

export function ApprovalCard({ calls, onAnswer, acts }: ApprovalCardProps) {
  const text = useText();
  const armed = useArmed();
  const plans = calls.map((call) => call.approval.plan);
  const parts = useOpenedParts(plans);
  const choice = useHunkChoice();
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [noting, setNoting] = useState(false);
  const [confirming, setConfirming] = useState(false);
  const [editing, setEditing] = useState(false);
  const [reach, setReach] = useState<Reach>("once");
  const [lease, setLease] = useState<LeaseDraft>(() => leaseFor(plans.map((plan) => plan.tier)));
  const remembering = useRemembering(reach === "remember" ? calls.map((call) => call.id) : null, acts?.propose);
  const [sent, setSent] = useSent();
  const card = useRef<HTMLElement>(null);
  useHandBackFocus(card);

  const [only] = plans.length === 1 ? plans : [];
  const hunks = only && choice.isOffered(only) ? { chosen: choice.chosenOf(only)?.length ?? hunkIds(only).length, count: hunkIds(only).length } : null;
  const chosen = calls.filter((call) => !left.has(call.id) && choice.chosenOf(call.approval.plan)?.length !== 0).map((call) => call.id);
  const isSettled = armed && !sent && !editing && (reach !== "remember" || remembering.chosen !== null);
  const canAllow = isSettled && parts.unread === 0 && chosen.length > 0;
  const answer = async (allowed: readonly string[], note?: string) => {
    if (!isSettled) return;
    setSent(true);
    const denied = calls.map((call) => call.id).filter((id) => !allowed.includes(id));
    const narrowed = calls.flatMap((call) => {
      const some = choice.chosenOf(call.approval.plan);
      return some !== null && allowed.includes(call.id) ? [[call.id, some] as const] : [];
    });
    const [first] = allowed.length > 0 ? allowed : denied;
    const { chosen: rule, scope } = remembering;
    const taken = await onAnswer({
      allowed,
      denied,
      ...(note ? { note } : {}),
      ...(narrowed.length > 0 ? { hunks: Object.fromEntries(narrowed) } : {}),
      ...(reach === "remember" && rule !== null && first !== undefined ? { remember: { call: first, scope, target: rule.target } } : {}),
      ...(reach === "lease" && allowed.length > 0 ? { lease } : {}),
    });
    if (!taken) setSent(false);
  };
  // Denying many at once is a slip more often than a wish, so it is asked again.
  const deny = (note?: string) => (calls.length > 1 && !confirming && note === undefined ? setConfirming(true) : void answer([], note));
  const closePart = () => {
    setNoting(false);
    setEditing(false);
    card.current?.focus();
  };
  const edit = acts && calls.length === 1 && !sent ? () => setEditing(true) : null;
  const onKeyDown = cardKeys(armed && !editing, {
    a: () => canAllow && void answer(chosen),
    d: () => deny(),
    n: () => setNoting(true),
    e: () => edit?.(),
  });
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
      <ApprovalHead plans={plans} onEdit={!noting && !editing && reach === "once" ? edit : null} />
      <p className="sr-only">{text.cards.keys}</p>
      <div className="divide-y divide-line">
        {calls.map((call) => (
          <PlannedCall
            key={call.id}
            call={call}
            parts={parts}
            choice={choice}
            {...(calls.length > 1 ? { chosen: !left.has(call.id), onChoose: () => toggle(call.id) } : {})}
            editing={editing && acts ? { onSend: (argsText) => acts.editArgs(call, argsText), onCancel: closePart } : null}
          />
        ))}
      </div>
      {!editing && (
        <ApprovalActions
          count={calls.length}
          chosen={chosen.length}
          hunks={hunks}
          reach={reach}
          unread={parts.unread}
          canAllow={canAllow}
          canDeny={isSettled}
          settling={!armed}
          sent={sent}
          noting={noting}
          confirming={confirming}
          onOpenAll={parts.openAll}
          onAllow={() => void answer(chosen)}
          onDeny={deny}
          onNote={() => setNoting(true)}
          onCloseNote={closePart}
        >
          {acts && <ReachPart reach={reach} onReach={setReach} plans={plans} acts={acts} remembering={remembering} lease={lease} onLease={setLease} />}
        </ApprovalActions>
      )}
    </article>
  );
}
