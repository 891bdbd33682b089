/** False for the first moments of a card, so that a key or click meant for something else answers nothing. */
import { useEffect, useState } from "react";

/** Above the time between noticing a change and a finger that is already moving. */
export const ARM_MS = 300;

export function useArmed(afterMs = ARM_MS): boolean {
  const [armed, setArmed] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setArmed(true), afterMs);
    return () => clearTimeout(timer);
  }, [afterMs]);
  return armed;
}
