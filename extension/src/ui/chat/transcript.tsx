/** The conversation. It stays at its end while it grows, unless the person reads further up. */
import { ArrowDown } from "lucide-react";
import { useEffect, useMemo, useRef } from "react";
import type { SessionView, TurnView } from "../../agent/session-view.ts";
import { Button } from "../common/button.tsx";
import { ErrorBoundary } from "../common/error-boundary.tsx";
import { useFollowEnd } from "../common/use-follow-end.ts";
import { useText } from "../text/use-text.ts";
import { takenBack } from "../turns/branch-points.ts";
import { HalfUndone } from "../turns/half-undone.tsx";
import { SeedNote } from "../turns/seed-note.tsx";
import { TakenBack } from "../turns/taken-back.tsx";
import { replacedIn, undoneOf } from "../turns/undo-way.ts";
import { useFoundBranch } from "../turns/use-found-branch.ts";
import { halfUndo, useTurnFacts } from "../turns/turn-facts.ts";
import type { ChatActions } from "./chat-actions.ts";
import { MakingRoom } from "./making-room.tsx";
import { Turn } from "./turn.tsx";
import { type FoundTurn, TurnList } from "./turn-list.tsx";

interface TranscriptProps {
  session: SessionView;
  actions: ChatActions;
  /** How often the person said something here: whoever does, is at the end. */
  said: number;
  /** The turn that was asked for, such as one that a search has found. */
  found: FoundTurn | null;
}

export function Transcript({ session, actions, said, found }: TranscriptProps) {
  const text = useText();
  const box = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const factsOf = useTurnFacts(session);
  const busy = session.status === "running" || session.status === "needs_you";
  const taken = useMemo(() => (busy ? [] : takenBack({ turns: session.turns, branches: session.branches })), [busy, session.turns, session.branches]);
  const last = session.turns.at(-1);
  // A redo of a whole turn that came to no end: the turn it is about is on another branch still.
  const left = halfUndo(session);
  const isElsewhere = left !== null && session.turns.every(({ message }) => message.id !== left.turn);
  const draw = (turn: TurnView) => (
    <ErrorBoundary>
      <Turn turn={turn} past={turn !== last} facts={factsOf(turn.message.id)} actions={actions} />
    </ErrorBoundary>
  );
  const seen = useFoundBranch(session, found);
  const { following, isNear, toEnd, leaveEnd } = useFollowEnd(box, { elsewhere: seen !== null, stopAt: "[data-testid=approval-card]", content });
  useEffect(() => {
    if (seen !== null) leaveEnd();
  }, [seen, leaveEnd]);
  useEffect(() => {
    if (said > 0) toEnd();
  }, [said, toEnd]);
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
        className="relative h-full overflow-y-auto [overflow-anchor:none] overscroll-contain scroll-pt-2 scroll-pb-4"
      >
        <div ref={content} className="mx-auto max-w-180 px-3 pt-3">
          <SeedNote session={session} />
          <TurnList
            turns={session.turns}
            box={box}
            draw={draw}
            found={seen}
          />
          <MakingRoom session={session} model={last?.modelLabel ?? ""} actions={actions} />
          {left !== null && isElsewhere && <div className="pb-2"><HalfUndone half={left} /></div>}
          {taken.map((each) => <div key={each.turn} className="pb-2"><TakenBack taken={each} filesUndone={undoneOf(session.undone, each.turn)?.direction === "undo"} replaced={replacedIn(session.undone, each.turns).length} /></div>)}
        </div>
      </div>
      {!following && !isNear && (
        <div className="pointer-events-none absolute inset-x-0 bottom-2 flex justify-center">
          <Button className="pointer-events-auto rounded-full shadow-float" icon={<ArrowDown size={14} />} onClick={toEnd}>{text.chat.jump}</Button>
        </div>
      )}
    </div>
  );
}
