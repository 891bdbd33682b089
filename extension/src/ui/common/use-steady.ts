/** The same function for as long as the part is there; it runs the newest one it was given. For handlers that are handed down far. */
import { useCallback, useLayoutEffect, useRef } from "react";

export function useSteady<Args extends readonly unknown[], Result>(run: (...args: Args) => Result): (...args: Args) => Result {
  const newest = useRef(run);
  useLayoutEffect(() => {
    newest.current = run;
  });
  return useCallback((...args: Args) => newest.current(...args), []);
}
