/** Whether there is too little room to open a store: it would fail half-way, and there would be no word to write. */

const LEAST_ROOM = 2 * 1024 * 1024;

/** `room`: bytes that may still be written; null where nobody knows. */
export async function isWithoutRoom(room: () => Promise<number | null>): Promise<boolean> {
  return ((await room().catch(() => null)) ?? Number.POSITIVE_INFINITY) < LEAST_ROOM;
}
