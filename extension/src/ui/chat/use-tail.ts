/**
 * The last items of a long list, and more of them as the person scrolls towards the first.
 *
 * What is added above must not move what is being read, so the place is kept by hand: browsers do it only away from the top.
 */
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";

/** A few screens of a panel: a session opens at once, however long it is. */
const BATCH = 8;

/** More is drawn this far before it comes into sight. */
const AHEAD = "800px";

export function useTail<Item>(items: readonly Item[], box: RefObject<HTMLElement | null>) {
  const [count, setCount] = useState(BATCH);
  const top = useRef<HTMLDivElement>(null);
  const height = useRef<number | null>(null);
  const hidden = Math.max(0, items.length - count);
  const more = () => {
    height.current = box.current?.scrollHeight ?? null;
    setCount((before) => before + BATCH);
  };

  useEffect(() => {
    if (hidden === 0 || !top.current) return;
    const observer = new IntersectionObserver(([entry]) => {
      if (!entry?.isIntersecting) return;
      height.current = box.current?.scrollHeight ?? null;
      setCount((before) => before + BATCH);
    }, { root: box.current, rootMargin: `${AHEAD} 0px 0px` });
    observer.observe(top.current);
    return () => observer.disconnect();
  }, [box, hidden]);

  useLayoutEffect(() => {
    if (height.current === null || !box.current) return;
    box.current.scrollBy({ top: box.current.scrollHeight - height.current });
    height.current = null;
  });

  return { shown: items.slice(hidden), hidden, top, more };
}
