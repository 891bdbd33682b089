/** The top line: whose panel this is, what it shows, how the link stands, and the ways elsewhere. */
import { ArrowLeft, List, SquarePen } from "lucide-react";
import type { ConnectionView } from "../../app/views.ts";
import { BrandMark } from "../common/brand-mark.tsx";
import { IconButton } from "../common/icon-button.tsx";
import { ConnectionChip } from "../connection/connection-chip.tsx";
import { useText } from "../text/use-text.ts";

interface HeaderProps {
  title: string;
  connection: ConnectionView;
  /** Not in the conversation: the way back to it. */
  onBack: (() => void) | null;
  /** Sessions that wait for the person, other than the one shown. */
  waitingElsewhere: number;
  showsList: boolean;
  onConnection: () => void;
  onSessions: () => void;
  onNew: () => void;
}

export function Header(props: HeaderProps) {
  const text = useText();
  return (
    <header data-region className="flex h-11 shrink-0 items-center gap-1 border-b border-line bg-surface pr-2 pl-3">
      {props.onBack ? <IconButton className="-ml-1.5" label={text.common.back} data-testid="back" icon={<ArrowLeft size={16} />} onClick={props.onBack} /> : <BrandMark size={18} />}
      <h1 title={props.title} className="ml-1.5 min-w-0 flex-1 truncate text-sm font-semibold" data-testid="title">{props.title}</h1>
      <ConnectionChip connection={props.connection} onOpen={props.onConnection} />
      <IconButton label={text.header.newSession} data-testid="new-session" icon={<SquarePen size={15} />} onClick={props.onNew} />
      {!props.showsList && (
        <span className="relative inline-flex">
          <IconButton label={text.header.sessions} data-testid="open-sessions" icon={<List size={16} />} onClick={props.onSessions} />
          {props.waitingElsewhere > 0 && (
            <span className="pointer-events-none absolute top-1 right-1 size-2 rounded-full bg-warn ring-2 ring-surface">
              <span className="sr-only">{text.header.waitingElsewhere(props.waitingElsewhere)}</span>
            </span>
          )}
        </span>
      )}
    </header>
  );
}
