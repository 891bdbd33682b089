/**
 * The turns, one under the other. A long conversation is drawn only where it is looked at, and at its end, where it lives.
 *
 * A short one is drawn whole, so that the browser's own search finds everything in it.
 */
import { type ReactNode, type RefObject, useState } from "react";
import { Virtualizer } from "virtua";
import type { TurnView } from "../../agent/session-view.ts";

/** Below this a page of turns is light enough to be there all at once. */
const WHOLE = 16;

/** Drawn this far beyond what is seen: a fast hand on the wheel meets no gap. */
const AHEAD_PX = 900;

interface TurnListProps {
  turns: readonly TurnView[];
  box: RefObject<HTMLElement | null>;
  draw: (turn: TurnView) => ReactNode;
}

export function TurnList({ turns, box, draw }: TurnListProps) {
  // Once drawn in parts, always: going back at the limit would draw everything anew.
  const [isLong, setLong] = useState(turns.length > WHOLE);
  if (!isLong && turns.length > WHOLE) setLong(true);
  const row = (turn: TurnView) => <div key={turn.message.id} className="pb-6">{draw(turn)}</div>;
  if (!isLong) return turns.map(row);
  // Rows are made for what is drawn, not for all there are: this runs for each picture of an answer that streams in.
  return (
    <Virtualizer data={turns} scrollRef={box} bufferSize={AHEAD_PX} itemSize={320} keepMounted={[turns.length - 1]}>
      {row}
    </Virtualizer>
  );
}
