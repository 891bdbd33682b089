/** The answers. They stay at the lower edge of the view while the plan is longer than it. */
import { useText } from "../text/use-text.ts";
import { Button } from "../common/button.tsx";
import { Spinner } from "../common/spinner.tsx";
import { DenyNote } from "./deny-note.tsx";

interface ApprovalActionsProps {
  count: number;
  chosen: number;
  unread: number;
  canAllow: boolean;
  armed: boolean;
  sent: boolean;
  noting: boolean;
  /** Denying all was asked for once. */
  confirming: boolean;
  onOpenAll: () => void;
  onAllow: () => void;
  onDeny: (note?: string) => void;
  onNote: () => void;
  onCloseNote: () => void;
}

export function ApprovalActions(props: ApprovalActionsProps) {
  const text = useText();
  const words = text.approval;
  const allow = props.count === 1 ? words.allow : words.allowSome(props.chosen, props.count);
  const deny = props.count === 1 ? words.deny : props.confirming ? words.denyAllSure : words.denyAll;
  return (
    <footer className="sticky bottom-0 z-10 rounded-b-lg border-t border-line bg-surface px-3 py-2">
      {props.unread > 0 && !props.noting && (
        <p className="mb-2 flex items-center justify-between gap-2 text-xs text-soft">
          {words.unread(props.unread)}
          <Button data-testid="approval-open-all" onClick={props.onOpenAll}>{words.openAll}</Button>
        </p>
      )}
      {props.sent ? (
        <p className="flex min-h-7 items-center gap-2 text-xs text-soft"><Spinner />{words.answered}</p>
      ) : props.noting ? (
        <DenyNote onSend={(note) => props.onDeny(note)} onCancel={props.onCloseNote} />
      ) : (
        <div className="flex flex-wrap gap-1.5">
          <Button weight="primary" hotkey="a" data-testid="approval-allow" disabled={!props.canAllow} onClick={props.onAllow}>{allow}</Button>
          <Button weight={props.confirming ? "danger" : "plain"} hotkey="d" data-testid="approval-deny" disabled={!props.armed} onClick={() => props.onDeny()}>{deny}</Button>
          <Button weight="quiet" hotkey="n" data-testid="approval-deny-note" disabled={!props.armed} onClick={props.onNote}>{words.denyNote}</Button>
        </div>
      )}
    </footer>
  );
}
