/** Keys that work wherever one is, unless someone is writing: `?` shows them all. With Alt they work while writing, too. */
import { useEffect } from "react";
import { isMac } from "../common/is-mac.ts";

export interface Hotkeys {
  help: () => void;
  newSession: () => void;
  history: () => void;
  settings: () => void;
  /** Null where one is in the chat already. */
  back: (() => void) | null;
}

export function useHotkeys(hotkeys: Hotkeys): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      // On a Mac Option writes letters (~ is Option N on a German keyboard): there it is Control with Option.
      if (event.defaultPrevented || event.metaKey || event.ctrlKey !== (isMac() && event.altKey)) return;
      const run = event.altKey ? altKeys(hotkeys, event) : plainKeys(hotkeys, event);
      if (!run) return;
      event.preventDefault();
      run();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [hotkeys]);
}

/** By the place of the key: with Alt some keyboards write other letters. */
function altKeys({ newSession, history, settings }: Hotkeys, { code }: KeyboardEvent): (() => void) | null {
  // What is open over the panel belongs to what is under it.
  if (document.querySelector("[role=dialog]") !== null) return null;
  switch (code) {
    case "KeyN":
      return newSession;
    case "KeyH":
      return history;
    case "Comma":
      return settings;
    default:
      return null;
  }
}

function plainKeys({ help, back }: Hotkeys, { key, target }: KeyboardEvent): (() => void) | null {
  const isWriting = target instanceof Element && target.closest("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable=true]") !== null;
  const isElsewhere = target instanceof Element && target.closest("[role=menu], [role=dialog], [data-popup-open]") !== null;
  if (key === "?" && !isWriting && !isElsewhere) return help;
  if (key === "Escape" && !isElsewhere && !isWriting) return back;
  return null;
}
