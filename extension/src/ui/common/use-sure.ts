/** An act that asks once more: the first press asks, the second does it, and the second half of a double click is no second press. */
import { useCallback, useEffect, useState } from "react";

/** How long systems wait for the second click of two, where nobody set it otherwise. */
export const DOUBLE_CLICK_MS = 500;

export interface Sure {
  /** `no`: nothing was pressed. `settling`: it asks, and takes nothing yet. `ready`: the next press does it. */
  asks: "no" | "settling" | "ready";
  press(run: () => void): void;
  /** Takes the question back. */
  reset(): void;
}

export function useSure(): Sure {
  const [asks, setAsks] = useState<Sure["asks"]>("no");
  useEffect(() => {
    if (asks !== "settling") return;
    const timer = setTimeout(() => setAsks("ready"), DOUBLE_CLICK_MS);
    return () => clearTimeout(timer);
  }, [asks]);
  const reset = useCallback(() => setAsks("no"), []);
  return {
    asks,
    press: (run) => {
      if (asks === "no") setAsks("settling");
      if (asks !== "ready") return;
      setAsks("no");
      run();
    },
    reset,
  };
}
