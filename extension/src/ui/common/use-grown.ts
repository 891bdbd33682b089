/** Runs when an element's size has changed, whatever it was that grew: a picture, a code block that got its colours, a row that was measured. */
import { type RefObject, useEffect } from "react";

export function useGrown(element: RefObject<HTMLElement | null>, onGrown: () => void): void {
  useEffect(() => {
    const { current } = element;
    if (!current || typeof ResizeObserver === "undefined") return;
    const observer = new ResizeObserver(onGrown);
    observer.observe(current);
    return () => observer.disconnect();
  }, [element, onGrown]);
}
