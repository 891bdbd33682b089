/** What was deleted a moment ago and can be brought back: the receipt of it leaves sooner than the way back does. */
import { Undo2 } from "lucide-react";
import { Button } from "../common/button.tsx";
import { Disclosure } from "../common/disclosure.tsx";
import { useNow } from "../common/use-now.ts";
import { usePanel } from "../panel/panel-context.ts";
import { useText } from "../text/use-text.ts";

const MINUTE_MS = 60_000;

/** What is told in minutes is late by no more than this. */
const TICK_MS = 10_000;

export function DeletedSessions() {
  const text = useText();
  const words = text.sessions;
  const { app, send } = usePanel();
  const now = useNow(app.deleted?.length ? TICK_MS : null);
  const left = (app.deleted ?? []).filter(({ until }) => until > now);
  if (left.length === 0) return null;
  return (
    <section data-testid="deleted-sessions" className="max-h-2/5 shrink-0 overflow-y-auto border-t border-line px-2 py-1">
      <Disclosure testId="deleted-open" summary={words.deletedOnes(left.length)}>
        <ul>
          {left.map(({ id, title, until }) => (
            <li key={id} data-testid="deleted-row" data-session={id} className="flex min-w-0 items-center gap-2 ps-4.5 text-sm">
              <span className="min-w-0 flex-1 truncate">{title || text.header.untitled}</span>
              <span className="shrink-0 text-2xs text-soft tabular-nums">{words.minutesLeft(Math.max(1, Math.ceil((until - now) / MINUTE_MS)))}</span>
              <Button weight="quiet" data-testid="deleted-back" aria-label={words.bringBackNamed(title || text.header.untitled)} icon={<Undo2 aria-hidden size={13} />} onClick={() => void send("restoreSession", { session: id })}>{words.bringBack}</Button>
            </li>
          ))}
        </ul>
      </Disclosure>
    </section>
  );
}
