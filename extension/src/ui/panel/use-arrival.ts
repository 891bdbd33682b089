/**
 * Where the focus goes when the screen changes: to the new screen's beginning, so that readers and keys begin there;
 * on the way back, to what had been pressed to leave.
 */
import { useEffect, useRef } from "react";

function arrive(): boolean {
  const beginning = document.querySelector<HTMLElement>("[data-arrival]");
  beginning?.focus({ preventScroll: true });
  return beginning !== null;
}

export function useArrival(place: string, isHome: boolean): void {
  const before = useRef(place);
  const left = useRef<string | null>(null);
  const pressed = useRef<string | null>(null);

  // Noted while it happens: when the screen has changed, what was pressed may be gone.
  useEffect(() => {
    const note = (event: Event) => {
      const control = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-testid]") : null;
      pressed.current = control?.dataset["testid"] ?? null;
    };
    document.addEventListener("click", note, true);
    return () => document.removeEventListener("click", note, true);
  }, []);

  useEffect(() => {
    if (before.current === place) return;
    before.current = place;
    if (isHome) {
      const opener = left.current === null ? null : document.querySelector<HTMLElement>(`[data-testid="${left.current}"]`);
      left.current = null;
      (opener ?? document.querySelector<HTMLElement>("[data-testid=composer-input]"))?.focus();
      return;
    }
    left.current ??= pressed.current;
    if (arrive()) return;
    // A screen that is still being loaded takes the focus when it has come.
    const observer = new MutationObserver(() => arrive() && observer.disconnect());
    observer.observe(document.body, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [place, isHome]);
}
