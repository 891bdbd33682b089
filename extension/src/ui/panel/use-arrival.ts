/**
 * Where the focus goes when the screen changes: to the new screen's beginning, so that readers and keys begin there;
 * on the way back, to what had been pressed to leave; in the conversation, to what was found in it.
 */
import { useEffect, useRef } from "react";
import { parentOf, type Place } from "./place.ts";

/** What was pressed to leave: its name, and which of those of that name, for on the way back it is drawn anew. */
interface Opener {
  readonly name: string;
  readonly index: number;
}

/** The conversation is one place, whatever was found in it. */
const wordOf = ({ screen, part }: Pick<Place, "screen" | "part">) => (screen === "chat" ? screen : `${screen} ${part ?? ""}`);

/** No key that writes a character leaves a screen; looking for its place among all would keep the letter waiting. */
const isTyped = ({ key, ctrlKey, altKey, metaKey }: KeyboardEvent) => key.length === 1 && !ctrlKey && !altKey && !metaKey;

const named = (name: string) => [...document.querySelectorAll<HTMLElement>(`[data-testid="${name}"]`)];

export function useArrival(place: Place): void {
  const before = useRef(place);
  /** By the place that was left, with what it showed. */
  const openers = useRef(new Map<string, Opener & Pick<Place, "session">>());
  const pressed = useRef<Opener | null>(null);

  // Noted while it happens: when the screen has changed, what was pressed may be gone.
  useEffect(() => {
    const note = (event: Event) => {
      if (event instanceof KeyboardEvent && isTyped(event)) return;
      const { target } = event;
      const control = target instanceof Element ? target.closest<HTMLElement>("[data-testid]") : null;
      const name = control?.dataset["testid"];
      pressed.current = control === null || name === undefined ? null : { name, index: named(name).indexOf(control) };
    };
    document.addEventListener("click", note, true);
    document.addEventListener("keydown", note, true);
    return () => {
      document.removeEventListener("click", note, true);
      document.removeEventListener("keydown", note, true);
    };
  }, []);

  useEffect(() => {
    const from = before.current;
    before.current = place;
    const here = wordOf(place);
    if (wordOf(from) === here) return;
    const isHome = place.screen === "chat";
    const isBack = isHome || wordOf(parentOf(from)) === here;
    const kept = openers.current.get(here);
    openers.current.delete(here);
    if (!isBack && pressed.current !== null) openers.current.set(wordOf(from), { ...pressed.current, session: from.session });
    const opener = isBack && kept?.session === place.session ? kept : undefined;
    if (!isHome) return land(opener);
    const isFound = place.part !== null;
    const left = isFound ? undefined : find(opener);
    (left ?? named(isFound ? "transcript" : "composer-input")[0])?.focus({ preventScroll: left === undefined });
  }, [place]);
}

/** The screen's beginning, and from there what it was left by: either may still be on its way. A person who went on meanwhile is left alone. */
function land(opener: Opener | undefined): (() => void) | undefined {
  let beginning: HTMLElement | null = null;
  const isDone = (): boolean => {
    if (beginning !== null && document.activeElement !== beginning) return true;
    const left = find(opener);
    if (left === undefined) beginning ??= document.querySelector<HTMLElement>("[data-arrival]");
    (left ?? beginning)?.focus({ preventScroll: left === undefined });
    return left !== undefined || (beginning !== null && opener === undefined);
  };
  if (isDone()) return undefined;
  const observer = new MutationObserver(() => isDone() && observer.disconnect());
  observer.observe(document.body, { childList: true, subtree: true });
  return () => observer.disconnect();
}

function find(opener: Opener | undefined): HTMLElement | undefined {
  return opener && named(opener.name)[opener.index];
}
