/** Whether there is room for the list of sessions beside the conversation. */
import { useSyncExternalStore } from "react";

/** A conversation of 600 px and a list of 280. */
const WIDE = "(min-width: 880px)";

export function useWide(): boolean {
  return useSyncExternalStore(
    (listener) => {
      const query = matchMedia(WIDE);
      query.addEventListener("change", listener);
      return () => query.removeEventListener("change", listener);
    },
    () => matchMedia(WIDE).matches,
  );
}
