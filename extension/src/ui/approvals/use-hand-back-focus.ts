/** When a card leaves with the focus inside it, the focus goes to the conversation instead of nowhere. */
import { type RefObject, useLayoutEffect } from "react";

export function useHandBackFocus(card: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const element = card.current;
    return () => {
      if (element?.contains(document.activeElement)) element.closest<HTMLElement>("[role=log]")?.focus({ preventScroll: true });
    };
  }, [card]);
}
