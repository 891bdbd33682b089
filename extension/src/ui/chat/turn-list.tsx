/**
 * The turns, one under the other. A long conversation is drawn only where it is looked at, and at its end, where it lives.
 *
 * A short one is drawn whole, so that the browser's own search finds everything in it.
 */
import { type ReactNode, type Ref, type RefObject, useEffect, useRef, useState } from "react";
import { type CustomContainerComponentProps, Virtualizer, type VirtualizerHandle } from "virtua";
import type { TurnView } from "../../agent/session-view.ts";
import { classNames } from "../common/class-names.ts";
import { useSteady } from "../common/use-steady.ts";

/** Below this a page of turns is light enough to be there all at once. */
const WHOLE = 16;

/** Drawn this far beyond what is seen: a fast hand on the wheel meets no gap. */
const AHEAD_PX = 900;

/** So much of what stands before it is seen, as the box's own `scroll-pt-2` has it. */
const MARGIN_PX = 8;

/**
 * The last turns, always drawn: while an answer grows and the conversation follows it, those before it are beyond what is seen in one
 * direction and within it in the other, and would go and come a few times a second.
 */
const KEPT = 6;

/** A turn that somebody wants to see; another object each time they do. */
export interface FoundTurn {
  readonly turn: string;
}

interface TurnListProps {
  turns: readonly TurnView[];
  box: RefObject<HTMLElement | null>;
  draw: (turn: TurnView) => ReactNode;
  /** One of the turns, which is brought into sight. */
  found: FoundTurn | null;
}

export function TurnList({ turns, box, draw, found }: TurnListProps) {
  const list = useRef<VirtualizerHandle>(null);
  const bring = useSteady(({ turn }: FoundTurn) => {
    if (list.current) list.current.scrollToIndex(turns.findIndex(({ message }) => message.id === turn), { align: "start", offset: -MARGIN_PX });
    else box.current?.querySelector(`[data-turn="${CSS.escape(turn)}"]`)?.scrollIntoView({ block: "start" });
  });
  useEffect(() => {
    if (found !== null) bring(found);
  }, [found, bring]);
  // Once drawn in parts, always: going back at the limit would draw everything anew.
  const [isLong, setLong] = useState(turns.length > WHOLE);
  if (!isLong && turns.length > WHOLE) setLong(true);
  const row = (turn: TurnView) => <div key={turn.message.id} className="pb-6"><div className={classNames(turn.message.id === found?.turn && "animate-found rounded-sm")}>{draw(turn)}</div></div>;
  if (!isLong) return turns.map(row);
  const kept = Array.from({ length: KEPT }, (_, back) => turns.length - KEPT + back);
  // Rows are made for what is drawn, not for all there are: this runs for each picture of an answer that streams in.
  return (
    <Virtualizer ref={list} as={Rows} data={turns} scrollRef={box} bufferSize={AHEAD_PX} itemSize={320} keepMounted={kept}>
      {row}
    </Virtualizer>
  );
}

/**
 * Around the rows. The list would let no pointer through to them while it scrolls, which an answer that grows makes it do all the time:
 * no press reached a turn then, and each change of that gave all that is drawn its style anew.
 */
function Rows({ style, children, ref }: CustomContainerComponentProps) {
  return <div ref={ref as Ref<HTMLDivElement>} style={{ ...style, pointerEvents: undefined }}>{children}</div>;
}
