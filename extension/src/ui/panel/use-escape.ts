/** Escape, wherever it is pressed, unless a menu or a field of its own wants it, or it ends the writing of a word. Null: nothing to do. */
import { useEffect } from "react";

/** What Escape closes or leaves by itself. */
const OWN = "[role=menu], [role=dialog], [role=listbox], [data-popup-open], input:not([type=radio], [type=checkbox])";

export function useEscape(run: (() => void) | null): void {
  useEffect(() => {
    if (!run) return;
    const onKeyDown = (event: KeyboardEvent) => {
      const elsewhere = event.target instanceof Element && event.target.closest(OWN) !== null;
      if (event.key === "Escape" && !event.isComposing && !event.repeat && !event.defaultPrevented && !elsewhere) run();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [run]);
}
