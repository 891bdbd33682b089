/**
 * Keeps a scrolling box at its end while it grows, but only as long as the person has left it there.
 *
 * Where something inside must be read from its beginning (`stopAt`, a selector), it stops there instead of running past it.
 * Returns whether it follows, and the way back to the end.
 */
import { type RefObject, useCallback, useEffect, useLayoutEffect, useState } from "react";

/** Nearer to the end than this counts as being there: a line's height, and what zooming rounds away. */
const NEAR_PX = 32;

/** A little of what stands before it stays in sight. */
const MARGIN_PX = 8;

export function useFollowEnd(box: RefObject<HTMLElement | null>, stopAt?: string) {
  const [following, setFollowing] = useState(true);
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

  // After every drawing of the owner, whatever it was that grew.
  useLayoutEffect(() => {
    const element = box.current;
    if (!following || !element) return;
    const place = restingPlace(element, stopAt);
    // Someone who reads further down inside what it stops at is left there.
    if (element.scrollTop < place || stopAt === undefined) element.scrollTo({ top: place });
  });

  return { following, toEnd };
}

function restingPlace(box: HTMLElement, stopAt: string | undefined): number {
  const end = box.scrollHeight - box.clientHeight;
  const stop = stopAt === undefined ? null : box.querySelector(stopAt);
  if (!stop) return end;
  const top = stop.getBoundingClientRect().top - box.getBoundingClientRect().top + box.scrollTop;
  return Math.max(0, Math.min(end, top - MARGIN_PX));
}
