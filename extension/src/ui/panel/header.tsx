/** The top line: whose panel this is, what it shows, how the link stands, and the ways elsewhere. */
import { ArrowLeft, History, Settings, SquarePen } from "lucide-react";
import { memo } from "react";
import type { ConnectionView } from "../../app/views.ts";
import { BrandMark } from "../common/brand-mark.tsx";
import { IconButton } from "../common/icon-button.tsx";
import { ConnectionChip } from "../connection/connection-chip.tsx";
import { useText } from "../text/use-text.ts";
import type { Screen } from "./place.ts";

interface HeaderProps {
  title: string;
  screen: Screen;
  connection: ConnectionView;
  /** False: there is nowhere to go. */
  leads: boolean;
  /** Not at a session: the way back to it. */
  onBack: (() => void) | null;
  /** Sessions that wait for the person, other than the one shown. */
  waitingElsewhere: number;
  /** The list of sessions stands beside it already. */
  showsList: boolean;
  onGo: (screen: Screen) => void;
  onNew: () => void;
}

export const Header = memo(function Header({ title, screen, connection, leads, onBack, waitingElsewhere, showsList, onGo, onNew }: HeaderProps) {
  const text = useText();
  return (
    <header data-region className="flex h-11 shrink-0 items-center gap-0.5 border-b border-line bg-surface pe-2 ps-3">
      {onBack && leads ? <IconButton className="-ms-1.5 rtl:rotate-180" label={text.common.back} data-testid="back" icon={<ArrowLeft size={16} />} onClick={onBack} /> : <span className="tiny:hidden"><BrandMark size={18} /></span>}
      <h1 title={title} className="mx-1.5 min-w-0 flex-1 truncate text-sm font-semibold" data-testid="title">{title}</h1>
      {leads && <ConnectionChip connection={connection} current={screen === "connection"} onOpen={() => onGo("connection")} />}
      {leads && <IconButton label={text.header.newSession} data-testid="new-session" icon={<SquarePen size={15} />} onClick={onNew} />}
      {leads && !showsList && (
        <span className="relative inline-flex">
          <IconButton label={text.header.screens.history} pressed={screen === "history"} data-testid="open-history" icon={<History size={16} />} onClick={() => onGo("history")} />
          {waitingElsewhere > 0 && (
            <span className="pointer-events-none absolute top-1 end-1 size-2 rounded-full bg-warn ring-2 ring-surface">
              <span className="sr-only">{text.header.waitingElsewhere(waitingElsewhere)}</span>
            </span>
          )}
        </span>
      )}
      {leads && <IconButton label={text.header.screens.settings} pressed={screen === "settings"} data-testid="open-settings" icon={<Settings size={16} />} onClick={() => onGo("settings")} />}
    </header>
  );
});
