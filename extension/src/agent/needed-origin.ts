// The address that the browser must let us ask before a call can run, by its arguments. Pure, and without the tool itself: its card asks, too.
import { refusedAddress } from "../lib/refused-address.ts";

export const WEB_FETCH = "web_fetch";
export const LONGEST_ADDRESS = 2_000;
export const LEAST_CHARACTERS = 100;
export const MOST_CHARACTERS = 60_000;

/** Null: none, or these are no arguments of such a call. */
export function neededOrigin(tool: string, args: Readonly<Record<string, unknown>>): string | null {
  if (tool !== WEB_FETCH) return null;
  const { url, max_chars: most } = args;
  if (typeof url !== "string" || url.length === 0 || url.length > LONGEST_ADDRESS) return null;
  if (most !== undefined && !(Number.isSafeInteger(most) && Number(most) >= LEAST_CHARACTERS && Number(most) <= MOST_CHARACTERS)) return null;
  return refusedAddress(url) === null ? url : null;
}
