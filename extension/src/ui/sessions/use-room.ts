/** How many rows of a long list are drawn: more as one comes near to their end, so that hundreds do not hold up the first picture. */
import { type UIEvent, useState } from "react";

/** Some screens of rows. */
const STEP = 60;

/** This near to the end the next ones are made. */
const NEAR_PX = 600;

/** `key`: what the list is of. Of another one it begins anew. */
export function useRoom(key: string): { count: number; onScroll: (event: UIEvent) => void } {
  const [room, setRoom] = useState({ key, count: STEP });
  const count = room.key === key ? room.count : STEP;
  const onScroll = ({ currentTarget: box }: UIEvent) => {
    if (box.scrollTop + box.clientHeight > box.scrollHeight - NEAR_PX) setRoom({ key, count: count + STEP });
  };
  return { count, onScroll };
}
