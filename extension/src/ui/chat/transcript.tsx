/** The conversation. It stays at its end while it grows, unless the person reads further up. */
import { ArrowDown } from "lucide-react";
import { useMemo, useRef } from "react";
import type { SessionView } from "../../agent/session-view.ts";
import { Button } from "../common/button.tsx";
import { ErrorBoundary } from "../common/error-boundary.tsx";
import { useFollowEnd } from "../common/use-follow-end.ts";
import { Spinner } from "../common/spinner.tsx";
import { useText } from "../text/use-text.ts";
import { takenBack } from "../turns/branch-points.ts";
import { TakenBack } from "../turns/taken-back.tsx";
import { useTurnFacts } from "../turns/turn-facts.ts";
import type { ChatActions } from "./chat-actions.ts";
import { Turn } from "./turn.tsx";
import { useTail } from "./use-tail.ts";

interface TranscriptProps {
  session: SessionView;
  actions: ChatActions;
}

export function Transcript({ session, actions }: TranscriptProps) {
  const text = useText();
  const box = useRef<HTMLDivElement>(null);
  const { shown, hidden, top, more } = useTail(session.turns, box);
  const factsOf = useTurnFacts(session);
  const busy = session.status === "running" || session.status === "needs_you";
  const taken = useMemo(() => (busy ? [] : takenBack({ turns: session.turns, branches: session.branches })), [busy, session.turns, session.branches]);
  const { following, toEnd } = useFollowEnd(box, "[data-testid=approval-card]");
  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={box}
        role="log"
        // Takes the focus by F6, and when a card with the focus goes; it is no stop of the tab key.
        tabIndex={-1}
        data-region
        // The announcer speaks at boundaries; reading out every streamed word would drown it.
        aria-live="off"
        aria-label={text.chat.log}
        data-testid="transcript"
        className="relative h-full overflow-y-auto [overflow-anchor:none] overscroll-contain scroll-pb-4"
      >
        <div className="mx-auto flex max-w-180 flex-col gap-6 px-3 pt-3 pb-4">
          {hidden > 0 && (
            <div ref={top} className="text-center">
              <Button weight="quiet" onClick={more}>{text.chat.earlier}</Button>
            </div>
          )}
          {shown.map((turn) => (
            <ErrorBoundary key={turn.message.id}>
              <Turn turn={turn} past={turn !== session.turns.at(-1)} facts={factsOf(turn.message.id)} actions={actions} />
            </ErrorBoundary>
          ))}
          {session.compacting && <p data-testid="compacting" className="flex items-center gap-1.5 text-xs text-soft"><Spinner size={12} />{text.turns.compacting}</p>}
          {taken.map((each) => <TakenBack key={each.turn} taken={each} filesUndone={session.undone.some(({ turn, direction }) => turn === each.turn && direction === "undo")} />)}
        </div>
      </div>
      {!following && (
        <div className="pointer-events-none absolute inset-x-0 bottom-2 flex justify-center">
          <Button className="pointer-events-auto rounded-full shadow-float" icon={<ArrowDown size={14} />} onClick={toEnd}>{text.chat.jump}</Button>
        </div>
      )}
    </div>
  );
}
