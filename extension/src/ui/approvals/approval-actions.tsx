/** The answers. They stay at the lower edge of the view while the plan is longer than it. */
import type { ReactNode } from "react";
import { Button, Hotkey } from "../common/button.tsx";
import { classNames } from "../common/class-names.ts";
import type { Sure } from "../common/use-sure.ts";
import { Spinner } from "../common/spinner.tsx";
import { useText } from "../text/use-text.ts";
import type { Reach } from "./card-acts.ts";
import { DenyNote } from "./deny-note.tsx";
import { OriginLine } from "./origin-line.tsx";
import type { Origins } from "./use-origins.ts";

interface ApprovalActionsProps {
  /** Whose note is typed here. */
  owner: string;
  count: number;
  chosen: number;
  /** Of a single call whose changes can be left out one by one: how many are not. */
  hunks: { chosen: number; count: number } | null;
  origins: Origins;
  reach: Reach;
  unread: number;
  canAllow: boolean;
  canDeny: boolean;
  /** The card has not stood for its moment yet. */
  settling: boolean;
  sent: boolean;
  noting: boolean;
  /** Whether denying all was asked for once. */
  asks: Sure["asks"];
  onOpenAll: () => void;
  onAllow: () => void;
  onDeny: (note?: string) => void;
  onNote: () => void;
  onCloseNote: () => void;
  /** How far the answer reaches. */
  children: ReactNode;
}

export function ApprovalActions(props: ApprovalActionsProps) {
  const text = useText();
  const words = text.approval;
  const { hunks, reach } = props;
  const some = hunks !== null && hunks.chosen < hunks.count ? text.cards.allowHunks(hunks.chosen, hunks.count) : props.count === 1 ? words.allow : words.allowSome(props.chosen, props.count);
  const allow = reach === "remember" ? text.cards.allowRemember : reach === "lease" ? text.cards.allowLease : some;
  const asksTwice = reach !== "remember" && props.count > 1;
  const deny = reach === "remember" ? text.cards.denyRemember : words.deny;
  return (
    <footer data-keep-clear className="tall:sticky bottom-0 z-10 rounded-b-lg border-t border-line bg-surface px-3 py-2">
      {props.unread > 0 && !props.noting && (
        <p className="mb-2 flex items-center justify-between gap-2 text-xs text-soft">
          {words.unread(props.unread)}
          <Button data-testid="approval-open-all" onClick={props.onOpenAll}>{words.openAll}</Button>
        </p>
      )}
      {props.sent ? (
        <p className="flex min-h-7 items-center gap-2 text-xs text-soft"><Spinner />{words.answered}</p>
      ) : props.noting ? (
        <DenyNote owner={props.owner} onSend={(note) => props.onDeny(note)} onCancel={props.onCloseNote} />
      ) : (
        <>
          {props.children}
          {hunks !== null && hunks.chosen > 0 && hunks.chosen < hunks.count && <p className="mb-2 text-2xs text-soft">{text.cards.restDenied(hunks.count - hunks.chosen)}</p>}
          <OriginLine origins={props.origins} />
          <div className="flex flex-wrap items-center gap-1.5">
            <Button weight="primary" hotkey="a" data-by-hand data-testid="approval-allow" settling={props.settling && props.unread === 0} disabled={!props.canAllow} onClick={props.onAllow}>{allow}</Button>
            <Button weight={props.asks === "no" ? "plain" : "danger"} data-asks={props.asks} {...(asksTwice ? {} : { hotkey: "d" })} data-testid="approval-deny" settling={props.settling} disabled={!props.canDeny} onClick={() => props.onDeny()}>
              {asksTwice ? (
                // Both take their room: where it asks once more, no button moves from under the hand.
                <span className="grid *:[grid-area:1/1]">
                  <span className={classNames("inline-flex items-center justify-center gap-1.5", props.asks !== "no" && "invisible")}>{words.denyAll}<Hotkey>d</Hotkey></span>
                  <span className={classNames("inline-flex items-center justify-center", props.asks === "no" && "invisible")}>{words.denyAllSure}</span>
                </span>
              ) : deny}
            </Button>
            {reach === "once" && <Button weight="quiet" hotkey="n" data-testid="approval-deny-note" settling={props.settling} disabled={!props.canDeny} onClick={props.onNote}>{words.denyNote}</Button>}
          </div>
        </>
      )}
    </footer>
  );
}
