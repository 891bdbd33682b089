/**
 * One question to the person: may this happen?
 *
 * The whole plan is in the card. Allow works only when every part was open once and the card has stood for a moment;
 * it never has the focus by itself. Head and buttons stick to the edges of the view, so that a long plan keeps both in sight.
 * What is chosen and typed here outlives a look at another screen; what was left out outlives the plan.
 */
import { useRef } from "react";
import type { LeaseDraft } from "../../app/grants.ts";
import type { SessionOrigin } from "../../agent/events.ts";
import type { ToolCallView } from "../../agent/session-view.ts";
import { forgetKept, useKept } from "../common/use-kept.ts";
import { useSure } from "../common/use-sure.ts";
import { useText } from "../text/use-text.ts";
import { ApprovalActions } from "./approval-actions.tsx";
import type { CardAnswer } from "./approval-answer.ts";
import { ApprovalHead } from "./approval-head.tsx";
import type { CardActs, Reach } from "./card-acts.ts";
import { cardKeys } from "./card-keys.ts";
import { leaseFor } from "./lease-panel.tsx";
import { plannedFiles } from "./plan-parts.ts";
import { PlannedCall } from "./planned-call.tsx";
import { ReachPart } from "./reach-part.tsx";
import { uncover } from "./uncover.ts";
import { useArmed } from "./use-armed.ts";
import { useHandBackFocus } from "./use-hand-back-focus.ts";
import { hunkIds, useHunkChoice } from "./use-hunk-choice.ts";
import { useLeftCalls } from "./use-left-calls.ts";
import { useOrigins } from "./use-origins.ts";
import { useRemembering } from "./use-remembering.ts";
import { useSent } from "./use-sent.ts";
import { useStirred } from "./use-stirred.ts";
import { useOpenedParts } from "./use-opened-parts.ts";

/** A call whose plan waits: the type says what the projection promises. */
export type WaitingCall = ToolCallView & { readonly approval: NonNullable<ToolCallView["approval"]> };

interface ApprovalCardProps {
  /** One call, or the calls of one group. */
  calls: readonly WaitingCall[];
  /** Resolves to false where the answer was not taken: the card asks again. */
  onAnswer: (answer: CardAnswer) => Promise<boolean>;
  acts?: CardActs;
  /** Whose work asks, where it is not the conversation's own. */
  from?: SessionOrigin | null;
}

export function ApprovalCard({ calls, onAnswer, acts, from = null }: ApprovalCardProps) {
  const text = useText();
  const armed = useArmed();
  const ids = calls.map((call) => call.id);
  const plans = calls.map((call) => call.approval.plan);
  // What was chosen belongs to what was shown: of a plan with other content it begins anew.
  const owner = calls.map((call) => `${call.id} ${call.approval.plan.digest}`).join("\n");
  const parts = useOpenedParts(owner, plans);
  const choice = useHunkChoice(calls);
  const [left, toggleCall] = useLeftCalls(calls);
  const [wantsNote, setNoting] = useKept(owner, "noting", () => false);
  const [editing, setEditing] = useKept<string | null>(owner, "editing", () => null);
  const [reach, setReach] = useKept<Reach>(owner, "reach", () => "once");
  const [lease, setLease] = useKept<LeaseDraft>(owner, "lease", () => leaseFor(plans.map((plan) => plan.tier)));
  const sure = useSure();
  const origins = useOrigins(calls, acts);
  const [sent, setSent] = useSent();
  const card = useRef<HTMLElement>(null);
  useHandBackFocus(card);
  const { stirred, onClickCapture } = useStirred(card, "[data-testid=approval-deny]");

  const [only] = plans.length === 1 ? plans : [];
  // A file without lines is a change as well: it is left out with the first that is.
  const count = only ? hunkIds(only).length + plannedFiles(only).filter((file) => file.hunks.length === 0).length : 0;
  const hunks = only && choice.isOffered(only) ? { chosen: choice.chosenOf(only)?.length ?? count, count } : null;
  const chosen = calls.filter((call) => !left.has(call.id) && choice.chosenOf(call.approval.plan)?.length !== 0).map((call) => call.id);
  // A rule is for what is ticked; where nothing is, all of it can only be denied.
  const ruled = chosen.length > 0 ? chosen : ids;
  const remembering = useRemembering(owner, reach === "remember" ? ruled : null, acts);
  const noting = wantsNote && reach === "once";
  const isSettled = armed && !sent && editing === null && (reach !== "remember" || remembering.chosen !== null);
  const canAllow = isSettled && !noting && parts.unread === 0 && chosen.length > 0;
  const answer = async (allowed: readonly string[], note?: string) => {
    if (!isSettled) return;
    const asked = origins.ask(allowed);
    setSent(true);
    if (asked !== null && !(await asked)) {
      setSent(false);
      return;
    }
    const narrowed = calls.flatMap((call) => {
      const some = choice.chosenOf(call.approval.plan);
      return some !== null && allowed.includes(call.id) ? [[call.id, some] as const] : [];
    });
    const { chosen: rule, scope } = remembering;
    const [first] = ruled;
    const taken = await onAnswer({
      allowed,
      denied: ids.filter((id) => !allowed.includes(id)),
      ...(note ? { note } : {}),
      ...(narrowed.length > 0 ? { hunks: Object.fromEntries(narrowed) } : {}),
      ...(reach === "remember" && rule !== null && first !== undefined ? { remember: { call: first, scope, target: rule.target } } : {}),
      ...(reach === "lease" && allowed.length > 0 ? { lease } : {}),
    });
    if (taken) forgetKept(owner);
    else setSent(false);
  };
  // Denying many at once is a slip more often than a wish, so it is asked again.
  const deny = (note?: string) => {
    if (!isSettled) return;
    if (calls.length > 1 && note === undefined) sure.press(() => void answer([]));
    else void answer([], note);
  };
  const closePart = () => {
    setNoting(false);
    setEditing(null);
    card.current?.focus();
  };
  const leave = (element: HTMLElement) => {
    sure.reset();
    if (reach !== "once") setReach("once");
    else element.closest<HTMLElement>("[role=log]")?.focus({ preventScroll: true });
  };
  const canEdit = acts !== undefined && !sent && !noting && editing === null && reach === "once";
  const edit = canEdit && calls.length === 1 ? () => setEditing(ids[0] ?? null) : null;
  const hasButtons = armed && !noting && editing === null && !sent;
  const onKeyDown = cardKeys(
    hasButtons,
    {
      a: canAllow ? () => void answer(chosen) : null,
      d: isSettled ? () => deny() : null,
      n: reach === "once" ? () => setNoting(true) : null,
      e: edit,
    },
    leave,
  );

  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the keys are shortcuts for buttons that are in the card.
    <article
      ref={card}
      tabIndex={-1}
      data-region
      data-testid="approval-card"
      data-tool={plans[0]?.tool}
      data-call={ids[0]}
      data-armed={armed && !stirred}
      aria-label={calls.length > 1 ? text.approval.groupTitle(calls.length) : text.approval.title(plans[0]?.tool ?? "")}
      onClickCapture={onClickCapture}
      onKeyDown={onKeyDown}
      onFocus={uncover}
      className="rounded-lg border border-warn/60 bg-surface focus-visible:rounded-lg"
    >
      <ApprovalHead plans={plans} from={from} onEdit={edit} />
      <p className="sr-only">{text.cards.keys}</p>
      {choice.isCarried && <output data-testid="choice-carried" data-wash className="block bg-warn-wash px-3 py-1.5 text-xs text-warn">{text.cards.carried}</output>}
      <div className="divide-y divide-line">
        {calls.map((call) => (
          <PlannedCall
            key={call.id}
            call={call}
            parts={parts}
            choice={choice}
            {...(calls.length > 1 ? { chosen: !left.has(call.id), onChoose: () => toggleCall(call.id), onEdit: canEdit ? () => setEditing(call.id) : null } : {})}
            editing={editing === call.id && acts ? { onSend: (argsText) => acts.editArgs(call, argsText), onCancel: closePart } : null}
          />
        ))}
      </div>
      {editing === null && (
        <ApprovalActions
          owner={ids.join()}
          count={calls.length}
          chosen={chosen.length}
          hunks={hunks}
          origins={origins}
          reach={reach}
          unread={parts.unread}
          canAllow={canAllow}
          canDeny={isSettled}
          settling={!armed}
          sent={sent}
          noting={noting}
          asks={sure.asks}
          onOpenAll={parts.openAll}
          onAllow={() => void answer(chosen)}
          onDeny={deny}
          onNote={() => setNoting(true)}
          onCloseNote={closePart}
        >
          {acts && <ReachPart reach={reach} onReach={setReach} plans={plans} many={ruled.length > 1} remembering={remembering} lease={lease} onLease={setLease} />}
        </ApprovalActions>
      )}
    </article>
  );
}
