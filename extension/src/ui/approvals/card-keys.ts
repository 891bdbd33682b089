/** The keys of a card: a letter for each button that is drawn, the arrows from one change to the next, and Escape out of it. Letters and arrows never while someone types. */
import type { KeyboardEvent } from "react";

/** Null: there is no such button now. */
export type CardKeys = Readonly<Record<string, (() => void) | null>>;

export function cardKeys(isLive: boolean, keys: CardKeys, leave: (card: HTMLElement) => void) {
  return (event: KeyboardEvent<HTMLElement>) => {
    if (event.key === "Escape" && !event.nativeEvent.isComposing) {
      // Leaving a card is no wish to stop the agent.
      event.preventDefault();
      leave(event.currentTarget);
      return;
    }
    const { target } = event;
    const field = target instanceof HTMLInputElement ? target.type : target instanceof HTMLTextAreaElement ? "text" : null;
    const typing = field !== null && field !== "checkbox" && field !== "radio";
    if (typing || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    // The arrows of a radio button are its own.
    if ((event.key === "ArrowDown" || event.key === "ArrowUp") && field !== "radio") {
      if (step(event.currentTarget, event.key === "ArrowDown" ? 1 : -1)) event.preventDefault();
      return;
    }
    const run = Object.hasOwn(keys, event.key) ? keys[event.key] : undefined;
    if (!isLive || !run) return;
    run();
    event.preventDefault();
  };
}

/** To the next change that can be left out; false: there is none, and the arrow scrolls as ever. */
function step(card: HTMLElement, by: 1 | -1): boolean {
  const boxes = [...(card.querySelectorAll<HTMLElement>("[data-hunk]"))];
  const here = boxes.findIndex((box) => box === document.activeElement);
  const next = here === -1 ? (by === 1 ? boxes[0] : boxes.at(-1)) : boxes[here + by];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
  return next !== undefined;
}
