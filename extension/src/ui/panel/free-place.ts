/** Where something that floats over a column of things may stand without covering what must be reached. Measured from above, in pixels. */

export interface Span {
  readonly top: number;
  readonly bottom: number;
}

interface Wanted {
  readonly height: number;
  /** Between these it may stand: at the lower end where it can. */
  readonly room: Span;
  /** Sets of what it must not cover, the most telling first: where not all can be kept clear, the last of them are given up. */
  readonly clear: readonly (readonly Span[])[];
}

/** So much stays between it and what it keeps clear of. */
const GAP_PX = 4;

/** The lowest place that covers nothing of the longest row of sets from the first; null where even the first cannot be kept clear. */
export function freePlace({ height, room, clear }: Wanted): Span | null {
  for (let kept = clear.length; kept > 0; kept -= 1) {
    const spans = clear.slice(0, kept).flat();
    const ends = [room.bottom, ...spans.map(({ top }) => top - GAP_PX).filter((end) => end < room.bottom)].toSorted((left, right) => right - left);
    for (const bottom of ends) {
      const place = { top: bottom - height, bottom };
      if (place.top >= room.top && spans.every((span) => !overlaps(place, span))) return place;
    }
  }
  return null;
}

export function overlaps(one: Span, other: Span): boolean {
  return one.top < other.bottom && other.top < one.bottom;
}
