/** F6 goes to the next region of the panel, Shift+F6 to the one before: header, list, conversation, each card, composer. */
import { useEffect } from "react";

export function useRegions(): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== "F6") return;
      const regions = [...document.querySelectorAll<HTMLElement>("[data-region]")];
      const here = regions.findLastIndex((region) => region.contains(document.activeElement));
      const next = regions.at((here + (event.shiftKey ? -1 : 1) + regions.length) % regions.length);
      if (!next) return;
      event.preventDefault();
      const field = next.hasAttribute("tabindex") ? next : next.querySelector<HTMLElement>("textarea, input, button");
      field?.focus();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);
}
