/** A card's head and foot stay in sight and so stand over what is between them: what the focus comes to by a key is brought out from under them. */
import type { FocusEvent } from "react";

/** The mark around it is seen too. */
const MARK_PX = 4;

export function uncover({ currentTarget: card, target }: FocusEvent<HTMLElement>): void {
  const head = card.querySelector(":scope > header");
  const foot = card.querySelector(":scope > footer");
  // A press of the mouse must land where it was aimed at.
  if (head === null || foot === null || foot.contains(target) || !target.matches(":focus-visible")) return;
  const log = card.closest("[role=log]");
  const footTop = foot.getBoundingClientRect().top;
  // Of a card whose beginning alone is in sight, the foot stands over the head.
  if (target === card || head.contains(target)) {
    log?.scrollBy({ top: Math.max(head.getBoundingClientRect().bottom + MARK_PX - footTop, 0) });
    return;
  }
  const { top, bottom } = target.getBoundingClientRect();
  const above = top - MARK_PX - head.getBoundingClientRect().bottom;
  const below = bottom + MARK_PX - footTop;
  // Of what is too tall for the room between them, the beginning.
  log?.scrollBy({ top: Math.min(Math.max(below, 0), above) });
}
