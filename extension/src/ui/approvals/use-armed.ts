/** False for the first moments of a card, so that a key or click meant for something else answers nothing. */
import { useEffect, useState } from "react";

/** Above the time between noticing a change and a finger that is already moving. */
export const ARM_MS = 300;

export function useArmed(): boolean {
  const [armed, setArmed] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setArmed(true), ARM_MS);
    return () => clearTimeout(timer);
  }, []);
  return armed;
}
