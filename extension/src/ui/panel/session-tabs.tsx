/** The three views of one session: what was said, what changed, what ran. */
import { FileDiff, Maximize2, MessageSquare, SquareTerminal } from "lucide-react";
import { memo, type ReactNode } from "react";
import { classNames } from "../common/class-names.ts";
import { IconButton } from "../common/icon-button.tsx";
import { useText } from "../text/use-text.ts";
import { SESSION_SCREENS, type Screen } from "./place.ts";

type SessionScreen = (typeof SESSION_SCREENS)[number];

const icons: Record<SessionScreen, ReactNode> = {
  chat: <MessageSquare aria-hidden size={13} />,
  changes: <FileDiff aria-hidden size={13} />,
  terminal: <SquareTerminal aria-hidden size={13} />,
};

interface SessionTabsProps {
  screen: Screen;
  /** How many there are to see; nothing is shown for none. */
  counts: Partial<Record<SessionScreen, number>>;
  onGo: (screen: SessionScreen) => void;
  /** Null: it is in a tab already. */
  onTab: (() => void) | null;
}

/** Not drawn again for each word of an answer that streams in. */
export const SessionTabs = memo(function SessionTabs({ screen, counts, onGo, onTab }: SessionTabsProps) {
  const text = useText();
  return (
    <nav data-region aria-label={text.header.views} data-testid="session-tabs" className="flex h-8 shrink-0 items-stretch gap-0.5 border-b border-line bg-surface px-2">
      {SESSION_SCREENS.map((name) => {
        const current = name === screen;
        const count = counts[name] ?? 0;
        return (
          <button
            key={name}
            type="button"
            data-testid={`tab-${name}`}
            data-chosen={current}
            aria-current={current ? "page" : undefined}
            onClick={() => onGo(name)}
            className={classNames("-mb-px inline-flex min-w-0 items-center gap-1.5 border-b-2 px-2 text-xs font-medium outline-offset-[-2px]", current ? "border-accent text-ink" : "border-transparent text-soft hover:text-ink")}
          >
            {icons[name]}
            <span className="truncate tiny:sr-only">{text.header.screens[name]}</span>
            {count > 0 && <span className="rounded-full bg-sunken px-1.5 text-2xs text-soft tabular-nums">{count}</span>}
          </button>
        );
      })}
      <span className="flex-1" />
      {onTab && <span className="self-center"><IconButton label={text.header.openTab} data-testid="open-tab" icon={<Maximize2 size={13} />} onClick={onTab} /></span>}
    </nav>
  );
});
