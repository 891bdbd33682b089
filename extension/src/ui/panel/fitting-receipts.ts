/**
 * How many receipts stand at once: they take a part of the room and no more, so that what they are about stays in sight.
 *
 * Those that have no place now are hidden, not gone: what went wrong comes back when there is room for it.
 */
import { type RefObject, useEffect, useLayoutEffect } from "react";

/** Of the room over which they stand. More would hide the beginning of what was just done. */
export const MOST_OF_ROOM = 0.4;

/** What stands between two of them, as their place draws it. */
const GAP_PX = 6;

export interface Weighed {
  readonly height: number;
  readonly isBad: boolean;
  /** The hand or the focus is on it: it stays. */
  readonly isHeld: boolean;
}

/** Which of them stand, the oldest first. The newest always does; of the others what went wrong gives way last, and the older ones first. */
export function fittingReceipts(all: readonly Weighed[], room: number): readonly boolean[] {
  const places = all.map((_, place) => place).toReversed();
  const rank = (place: number) => (place === all.length - 1 || all[place]?.isHeld ? 0 : all[place]?.isBad ? 1 : 2);
  const shown = new Set<number>();
  let left = room * MOST_OF_ROOM;
  for (const place of places.toSorted((one, other) => rank(one) - rank(other))) {
    const needed = (all[place]?.height ?? 0) + (shown.size > 0 ? GAP_PX : 0);
    if (needed > left && rank(place) > 0) continue;
    left -= needed;
    shown.add(place);
  }
  return all.map((_, place) => shown.has(place));
}

/** `room`: how high that is now. */
export function useFittingReceipts(bar: RefObject<HTMLElement | null>, room: () => number): void {
  useLayoutEffect(() => fit(bar.current, room()));
  useEffect(() => {
    const refit = () => fit(bar.current, room());
    window.addEventListener("resize", refit);
    return () => window.removeEventListener("resize", refit);
  }, [bar, room]);
}

function fit(bar: HTMLElement | null, room: number): void {
  if (bar === null) return;
  const rows = [...bar.children].filter((row) => row instanceof HTMLElement);
  for (const row of rows) row.hidden = false;
  const weighed = rows.map((row) => ({ height: row.getBoundingClientRect().height, isBad: row.querySelector("[data-tone=bad]") !== null, isHeld: row.dataset["held"] !== undefined }));
  for (const [place, isShown] of fittingReceipts(weighed, room).entries()) {
    const row = rows[place];
    if (row) row.hidden = !isShown;
  }
}
