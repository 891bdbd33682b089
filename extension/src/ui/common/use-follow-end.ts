/**
 * Keeps a scrolling box at its end while it grows, but only as long as the person has left it there.
 *
 * Returns whether it follows, and the way back to the end.
 */
import { type RefObject, useCallback, useEffect, useLayoutEffect, useState } from "react";

/** Nearer to the end than this counts as being there: a line's height, and what zooming rounds away. */
const NEAR_PX = 32;

export function useFollowEnd(box: RefObject<HTMLElement | null>) {
  const [following, setFollowing] = useState(true);
  const toEnd = useCallback(() => {
    setFollowing(true);
    box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [box]);

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    let lastTop = element.scrollTop;
    const onScroll = () => {
      const atEnd = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_PX;
      // Growth moves the end away without moving the person: only a scroll upwards means "stay here".
      if (atEnd) setFollowing(true);
      else if (element.scrollTop < lastTop) setFollowing(false);
      lastTop = element.scrollTop;
    };
    element.addEventListener("scroll", onScroll, { passive: true });
    return () => element.removeEventListener("scroll", onScroll);
  }, [box]);

  // After every drawing of the owner, whatever it was that grew.
  useLayoutEffect(() => {
    if (following) box.current?.scrollTo({ top: box.current.scrollHeight });
  });

  return { following, toEnd };
}
