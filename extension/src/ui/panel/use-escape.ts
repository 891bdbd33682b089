/** Escape, wherever it is pressed, unless a menu or a field of its own wants it. Null: nothing to do. */
import { useEffect } from "react";

export function useEscape(run: (() => void) | null): void {
  useEffect(() => {
    if (!run) return;
    const onKeyDown = (event: KeyboardEvent) => {
      const elsewhere = event.target instanceof Element && event.target.closest("[role=menu], [role=dialog], [role=listbox], [data-popup-open], input:not([type=radio], [type=checkbox])") !== null;
      if (event.key === "Escape" && !event.defaultPrevented && !elsewhere) run();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [run]);
}
