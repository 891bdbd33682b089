/**
 * Whether none of the waiting cards is to be seen where the conversation stands: the way to a card is of use only then.
 *
 * Looked at when something else waits, when the conversation moves, and when its room does; never before the conversation has followed
 * its end to a card that came, so that nothing is shown for one picture.
 */
import { useEffect, useState } from "react";
import { waitingCards } from "./waiting-cards.ts";

/** A card of which less is seen shows neither what it asks nor its buttons, which stick to the lower edge of the view. */
const SEEN_PX = 64;

/** `waits`: another value where something else waits. */
export function useOutOfSight(waits: string, agent: string | null): boolean {
  const [isOut, setOut] = useState(false);
  useEffect(() => {
    const box = document.querySelector("[role=log]");
    if (waits === "" || !box) return;
    let frame = 0;
    const soon = () => {
      if (frame !== 0) return;
      frame = requestAnimationFrame(() => {
        frame = 0;
        setOut(!waitingCards(agent).some((card) => isSeen(card, box)));
      });
    };
    soon();
    // A card that is loaded later, or answered, changes the content as well.
    const observer = typeof ResizeObserver === "undefined" ? null : new ResizeObserver(soon);
    for (const each of [box, ...box.children]) observer?.observe(each);
    box.addEventListener("scroll", soon, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      observer?.disconnect();
      box.removeEventListener("scroll", soon);
      setOut(false);
    };
  }, [waits, agent]);
  return isOut;
}

function isSeen(card: Element, box: Element): boolean {
  const { top, bottom, height } = card.getBoundingClientRect();
  const { top: upper, bottom: lower } = box.getBoundingClientRect();
  return height > 0 && Math.min(bottom, lower) - Math.max(top, upper) >= Math.min(height, SEEN_PX) - 1;
}
