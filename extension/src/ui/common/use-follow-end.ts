/**
 * Keeps a scrolling box at its end while it grows, but only as long as the person has left it there.
 *
 * Where something inside must be read from its beginning (`stopAt`, a selector), it stops there instead of running past it.
 * Returns whether it follows, the way back to the end, and the way to leave it.
 */
import { type RefObject, useCallback, useEffect, useLayoutEffect, useState } from "react";
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

const NOTHING: RefObject<HTMLElement | null> = { current: null };

export function useFollowEnd(box: RefObject<HTMLElement | null>, { elsewhere = false, stopAt, content }: Following = {}) {
  const [following, setFollowing] = useState(!elsewhere);
  const leaveEnd = useCallback(() => setFollowing(false), []);
  const toEnd = useCallback(() => {
    setFollowing(true);
    if (box.current) box.current.scrollTo({ top: restingPlace(box.current, stopAt) });
  }, [box, stopAt]);

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    let lastTop = element.scrollTop;
    const onScroll = () => {
      // Growth moves the end away without moving the person: only a scroll upwards means "stay here".
      if (element.scrollTop >= restingPlace(element, stopAt) - NEAR_PX) setFollowing(true);
      else if (element.scrollTop < lastTop) setFollowing(false);
      lastTop = element.scrollTop;
    };
    element.addEventListener("scroll", onScroll, { passive: true });
    return () => element.removeEventListener("scroll", onScroll);
  }, [box, stopAt]);

  const stay = useSteady(() => {
    const element = box.current;
    if (!following || !element) return;
    const place = restingPlace(element, stopAt);
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

  return { following, toEnd, leaveEnd };
}

function restingPlace(box: HTMLElement, stopAt: string | undefined): number {
  const end = box.scrollHeight - box.clientHeight;
  const stop = stopAt === undefined ? null : box.querySelector(stopAt);
  if (!stop) return end;
  const top = stop.getBoundingClientRect().top - box.getBoundingClientRect().top + box.scrollTop;
  return Math.max(0, Math.min(end, top - MARGIN_PX));
}
