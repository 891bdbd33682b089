/**
 * Keeps a scrolling box at its end while it grows, but only as long as the person has left it there.
 *
 * Where something inside must be read from its beginning (`stopAt`, a selector), it stops there instead of running past it.
 * Returns whether it follows, whether it is near the end, the way back to the end, and the way to leave it.
 */
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { useGrown } from "./use-grown.ts";
import { useSteady } from "./use-steady.ts";

/** Nearer to the end than this counts as being there: a line's height, and what zooming rounds away. */
const NEAR_PX = 32;

/** A little of what stands before it stays in sight. */
const MARGIN_PX = 8;

interface Following {
  /** It begins somewhere else than at the end. */
  readonly elsewhere?: boolean;
  /** A selector. */
  readonly stopAt?: string;
  /** What grows in the box. With it the browser says when, after its own layout; without, every drawing of the owner is looked at. */
  readonly content?: RefObject<HTMLElement | null>;
}

/** Whoever does one of these scrolls by hand. */
const BY_HAND = ["wheel", "touchmove", "pointerdown", "keydown"] as const;

const NOTHING: RefObject<HTMLElement | null> = { current: null };

export function useFollowEnd(box: RefObject<HTMLElement | null>, { elsewhere = false, stopAt, content }: Following = {}) {
  const [following, setFollowing] = useState(!elsewhere);
  // What grows in the frame in which someone scrolls away must not pull them back: a state is known only with the next drawing.
  const follows = useRef(!elsewhere);
  const follow = useCallback((does: boolean) => {
    follows.current = does;
    setFollowing(does);
  }, []);
  const [isNear, setNear] = useState(!elsewhere);
  // What is gone to may lie near the end: being brought there is no wish to follow it.
  const isHeld = useRef(elsewhere);
  const leaveEnd = useCallback(() => {
    isHeld.current = true;
    const left = box.current === null ? 0 : restingPlace(box.current, stopAt) - box.current.scrollTop;
    follow(left <= 1);
    setNear(left <= NEAR_PX);
  }, [box, follow, stopAt]);
  const toEnd = useCallback(() => {
    isHeld.current = false;
    follow(true);
    if (box.current) box.current.scrollTo({ top: restingPlace(box.current, stopAt) });
  }, [box, follow, stopAt]);

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    let lastTop = element.scrollTop;
    const onScroll = () => {
      // Growth moves the end away without moving the person: only a scroll upwards means "stay here".
      const left = restingPlace(element, stopAt) - element.scrollTop;
      setNear(left <= NEAR_PX);
      if (left <= (isHeld.current ? 1 : NEAR_PX)) follow(true);
      else if (element.scrollTop < lastTop) follow(false);
      lastTop = element.scrollTop;
    };
    const letGo = () => {
      isHeld.current = false;
    };
    element.addEventListener("scroll", onScroll, { passive: true });
    for (const act of BY_HAND) element.addEventListener(act, letGo, { passive: true });
    return () => {
      element.removeEventListener("scroll", onScroll);
      for (const act of BY_HAND) element.removeEventListener(act, letGo);
    };
  }, [box, follow, stopAt]);

  const stay = useSteady(() => {
    const element = box.current;
    if (!element) return;
    const place = restingPlace(element, stopAt);
    if (!follows.current) {
      setNear(place - element.scrollTop <= NEAR_PX);
      return;
    }
    // Someone who reads further down inside what it stops at is left there.
    if (element.scrollTop < place || stopAt === undefined) element.scrollTo({ top: place });
  });
  useGrown(content ?? NOTHING, stay);
  // The room for it changes, too: a long message is written below, a strip comes or goes.
  useGrown(content === undefined ? NOTHING : box, stay);
  const isWatched = content !== undefined && typeof ResizeObserver !== "undefined";
  useLayoutEffect(() => {
    // Measuring here makes the browser lay everything out once more, for each picture of an answer that streams in.
    if (!isWatched) stay();
  });

  return { following, isNear, toEnd, leaveEnd };
}

function restingPlace(box: HTMLElement, stopAt: string | undefined): number {
  const end = box.scrollHeight - box.clientHeight;
  const stop = stopAt === undefined ? null : box.querySelector(stopAt);
  if (!stop) return end;
  const top = stop.getBoundingClientRect().top - box.getBoundingClientRect().top + box.scrollTop;
  return Math.max(0, Math.min(end, top - MARGIN_PX));
}
