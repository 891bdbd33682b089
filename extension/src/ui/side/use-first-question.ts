/** Asks what the sheet was opened with, once, however often it is drawn. */
import { useEffect, useRef } from "react";

export function useFirstQuestion(question: string, ask: (question: string) => void): void {
  const asked = useRef(false);
  useEffect(() => {
    if (asked.current || question === "") return;
    asked.current = true;
    ask(question);
  }, [question, ask]);
}
