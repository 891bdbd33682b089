/**
 * True for a moment after a card's answers were moved by something else than the person: a strip that came below the conversation, a
 * notice above it, a call beside it that went on. A press that was on its way then was meant for what stood there before.
 */
import { type MouseEvent, type RefObject, useCallback, useEffect, useRef, useState } from "react";
import { ARM_MS } from "./use-armed.ts";

/** Rounding moves things by less. */
const MOVED_PX = 1;

interface Stirred {
  readonly stirred: boolean;
  /** For the card: takes what the pointer presses in that moment. A key is aimed at no place, and counts. */
  readonly onClickCapture: (event: MouseEvent) => void;
}

/** `answers`: a selector of what is pressed in the card. */
export function useStirred(card: RefObject<HTMLElement | null>, answers: string): Stirred {
  const [stirred, setStirred] = useState(false);
  const until = useRef(0);
  useEffect(() => {
    const { current: element } = card;
    const box = element?.closest<HTMLElement>("[role=log]");
    if (!element || !box || typeof ResizeObserver === "undefined") return;
    // What comes under the hand was not what it went for.
    until.current = performance.now() + ARM_MS;
    let known = placeOf(element, answers);
    let frame = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      const now = placeOf(element, answers);
      // What the card itself grows by, a person has opened.
      if (Math.abs(now.top - known.top) <= MOVED_PX || now.height !== known.height) return now;
      until.current = performance.now() + ARM_MS;
      setStirred(true);
      clearTimeout(timer);
      timer = setTimeout(() => setStirred(false), ARM_MS);
      return now;
    };
    const settle = () => {
      frame = 0;
      known = look();
    };
    const observer = new ResizeObserver(() => {
      look();
      // The conversation follows its end in the same moment: what counts is where they are then.
      if (frame === 0) frame = requestAnimationFrame(settle);
    });
    const onScroll = () => {
      // By hand, where nothing else is under way.
      if (frame === 0) known = placeOf(element, answers);
    };
    observer.observe(box);
    for (const child of box.children) observer.observe(child);
    box.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
      observer.disconnect();
      box.removeEventListener("scroll", onScroll);
    };
  }, [card, answers]);
  const onClickCapture = useCallback((event: MouseEvent) => {
    // A click that a key makes has no count.
    if (event.detail === 0 || performance.now() >= until.current) return;
    event.preventDefault();
    event.stopPropagation();
  }, []);
  return { stirred, onClickCapture };
}

function placeOf(card: HTMLElement, answers: string) {
  return { top: card.querySelector(answers)?.getBoundingClientRect().top ?? 0, height: card.getBoundingClientRect().height };
}
