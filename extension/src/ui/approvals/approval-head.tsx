/** What is asked, where, and why; stays in sight while the plan scrolls under it. */
import { Hand, Pencil } from "lucide-react";
import type { SessionOrigin } from "../../agent/events.ts";
import type { Plan } from "../../wire/plan.ts";
import { actWords, reasonWords } from "./plan-words.ts";
import { classNames } from "../common/class-names.ts";
import { CodedText } from "../common/coded-text.tsx";
import { IconButton } from "../common/icon-button.tsx";
import { VisibleText } from "../common/visible-text.tsx";
import { useText } from "../text/use-text.ts";

interface ApprovalHeadProps {
  plans: readonly Plan[];
  /** Whose work asks, where it is not the conversation's own. */
  from: SessionOrigin | null;
  /** Null: there is nothing to edit. */
  onEdit: (() => void) | null;
}

export function ApprovalHead({ plans, from, onEdit }: ApprovalHeadProps) {
  const text = useText();
  const [first] = plans;
  if (!first) return null;
  const asker = from?.kind === "schedule" || from?.scheduled === true ? "schedule" : from?.kind === "subagent" ? "subagent" : null;
  const single = plans.length === 1;
  // Two tools may give the same reason in other words.
  const reasons = new Map(plans.flatMap((plan) => plan.reasons).map((reason) => [reasonWords(reason, text), reason]));
  return (
    <header data-keep-clear className="tall:sticky top-0 z-10 rounded-t-lg border-b border-line bg-surface px-3 py-2">
      <div className="flex items-start gap-2">
        <Hand aria-hidden size={14} className="mt-1 shrink-0 text-warn" />
        <h3 className={classNames("min-w-0 flex-1 font-medium", plans.every(isWholeBelow) && "line-clamp-3")}>
          {single ? <Act words={actWords(first.summary, text)} /> : text.approval.groupTitle(plans.length)}
        </h3>
        {onEdit && <IconButton className="-my-0.5 -me-1.5 size-6" label={text.cards.edit} aria-keyshortcuts="e" data-testid="approval-edit" icon={<Pencil size={13} />} onClick={onEdit} />}
      </div>
      <p className="mt-0.5 ps-5.5 text-xs text-soft">
        <code>{[...new Set(plans.map((plan) => plan.tool))].join(", ")}</code> {first.workspace !== "" && <VisibleText value={text.approval.inWorkspace(first.workspace)} oneLine />}
        {asker !== null && <span data-testid="card-from"> {text.cards.askedBy[asker]}</span>}
      </p>
      {reasons.size > 0 && (
        <ul aria-label={text.approval.why} className="mt-0.5 ps-5.5 text-xs text-soft">
          {[...reasons].map(([words, reason]) => (
            <li key={words} className={needsCare(reason) ? "text-warn" : ""}><CodedText value={words} /></li>
          ))}
        </ul>
      )}
    </header>
  );
}

/** What would be done; how much of it is not torn apart. */
function Act({ words }: { words: string }) {
  const end = /\(\+\d+ −\d+\)$/u.exec(words)?.index ?? words.length;
  return <><VisibleText value={words.slice(0, end)} oneLine />{end < words.length && <span className="whitespace-nowrap">{words.slice(end)}</span>}</>;
}

/** All that its title says stands in the preview, too: a long one need not push the preview out of sight. */
function isWholeBelow({ preview }: Plan): boolean {
  return preview.kind === "call" || preview.kind === "command";
}

/** What is not as the person may believe: an answer that no longer fits, text of strangers in the conversation. */
function needsCare(reason: string): boolean {
  return reason.startsWith("approval_stale") || /^text of .+ is in this conversation/u.test(reason);
}
