/** The same panel in a tab of its own: more room, the same session, live in both. */
import { type Place, writePlace } from "./place.ts";

const MARK = "?tab";

export function isTab(): boolean {
  return location.search === MARK;
}

/** Call it in a click: elsewhere the browser blocks it. */
export function openTab(place: Place): void {
  open(`${location.pathname}${MARK}${writePlace(place)}`, "_blank", "noopener");
}
