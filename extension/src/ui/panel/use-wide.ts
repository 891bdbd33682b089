/** Whether there is room for something: the list of sessions beside the conversation, or two columns of code. */
import { useCallback, useSyncExternalStore } from "react";

/** A conversation of 600 px and a list of 280. */
const WIDE = "(min-width: 880px)";

export function useWide(): boolean {
  return useMatches(WIDE);
}

export function useMatches(media: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const query = matchMedia(media);
      query.addEventListener("change", listener);
      return () => query.removeEventListener("change", listener);
    },
    [media],
  );
  return useSyncExternalStore(subscribe, () => matchMedia(media).matches);
}
