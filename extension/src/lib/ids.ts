/**
 * New ids: ULIDs, which sort by the time they were made at, from the system's own random numbers.
 *
 * The numbers are taken from a stock: asking for each letter alone took most of the time of an import of 200 000 events.
 */
import { ulid } from "ulid";

const stock = new Uint8Array(1024);
let left = 0;

function random(): number {
  if (left === 0) left = crypto.getRandomValues(stock).length;
  left -= 1;
  return (stock[left] ?? 0) / 256;
}

/** At a time of its own where one is given: ids of one log never go back. */
export const newUlid = (at?: number): string => ulid(at, random);
