/** One call of a card. In a group it has a box: what is not ticked is denied. While its arguments are edited, they stand in its place. */
import { Pencil } from "lucide-react";
import { classNames } from "../common/class-names.ts";
import { CodeBlock } from "../common/code-block.tsx";
import { Disclosure } from "../common/disclosure.tsx";
import { IconButton } from "../common/icon-button.tsx";
import { TickBox } from "../common/tick-box.tsx";
import { useText } from "../text/use-text.ts";
import { actWords } from "./plan-words.ts";
import type { WaitingCall } from "./approval-card.tsx";
import { ArgsEditor } from "../chat/later-parts.ts";
import { PlanPreview } from "./plan-preview.tsx";
import type { HunkChoice } from "./use-hunk-choice.ts";
import type { OpenedParts } from "./use-opened-parts.ts";

interface PlannedCallProps {
  call: WaitingCall;
  parts: OpenedParts;
  choice: HunkChoice;
  chosen?: boolean;
  onChoose?: () => void;
  /** Of a group: each has its own. Null: not now. */
  onEdit?: (() => void) | null;
  /** Set while the arguments are edited. */
  editing: { onSend: (argsText: string) => Promise<boolean>; onCancel: () => void } | null;
}

export function PlannedCall({ call, parts, choice, chosen, onChoose, onEdit, editing }: PlannedCallProps) {
  const text = useText();
  const { plan } = call.approval;
  const edit = onEdit && <IconButton className="-me-1.5 size-6" label={text.cards.editOf(actWords(plan.summary, text))} data-testid="call-edit" icon={<Pencil size={13} />} onClick={onEdit} />;
  const body = (
    <>
      {call.written !== null && !editing && (
        <div className="px-3 py-1.5 text-xs text-accent">
          {text.cards.edited}
          <Disclosure summary={text.cards.written}><CodeBlock code={call.written} wraps /></Disclosure>
        </div>
      )}
      {editing ? <ArgsEditor owner={`${call.id} ${call.argsText}`} argsText={call.argsText} onSend={editing.onSend} onCancel={editing.onCancel} /> : <PlanPreview plan={plan} parts={parts} choice={choice} />}
      {plan.preview.kind !== "call" && !editing && (
        <div className="flex items-start px-3 py-0.5" data-testid="call-args">
          <Disclosure className="flex-1" summary={text.cards.asWritten}><CodeBlock code={shownArgs(call)} wraps /></Disclosure>
          {edit}
        </div>
      )}
      {plan.preview.kind === "call" && !editing && edit && <div className="flex justify-end px-3 pb-1">{edit}</div>}
    </>
  );
  if (!onChoose) return body;
  return (
    <div className="flex min-w-0">
      <span className="flex size-9 shrink-0 items-center justify-center">
        <TickBox data-testid="call-box" aria-label={actWords(plan.summary, text)} checked={chosen ?? false} onChange={onChoose} />
      </span>
      <div className={classNames("min-w-0 flex-1", !chosen && "grayscale")}>{body}</div>
    </div>
  );
}

/** Of what can be read, one value a line. */
function shownArgs({ args, argsText }: WaitingCall): string {
  return args === null ? argsText : JSON.stringify(args, null, 2);
}
