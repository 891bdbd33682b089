/**
 * Whether an answer is on its way. It does not stay so for ever: an engine that does not take it is asked again.
 *
 * That is safe: an answer is bound to its plan, so one that did arrive is not given twice.
 */
import { useEffect, useState } from "react";

/** A restarted engine takes a second or two; after this, something is wrong and the person should have the buttons back. */
export const SENT_MS = 10_000;

export function useSent(): [boolean, (sent: boolean) => void] {
  const [sent, setSent] = useState(false);
  useEffect(() => {
    if (!sent) return;
    const timer = setTimeout(() => setSent(false), SENT_MS);
    return () => clearTimeout(timer);
  }, [sent]);
  return [sent, setSent];
}
