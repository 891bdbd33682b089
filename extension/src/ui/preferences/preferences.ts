/**
 * How this browser's panel speaks and looks: kept beside the page, so that the first paint is already right.
 *
 * Every open panel and tab follows a change at once.
 */
import { Store } from "../../lib/store.ts";
import { chooseLanguage, isLanguage, type Language, type LanguageSetting } from "../text/languages.ts";

export type Theme = "auto" | "light" | "dark";

export interface Preferences {
  readonly language: LanguageSetting;
  readonly theme: Theme;
}

const KEY = "outrigger.preferences";

export const preferences = new Store<Preferences>(read());

/** What is spoken here. */
export function spokenLanguage({ language }: Preferences = preferences.get()): Language {
  return chooseLanguage(language, navigator.languages);
}

export function setPreferences(change: Partial<Preferences>): void {
  const next = { ...preferences.get(), ...change };
  preferences.set(next);
  try {
    localStorage.setItem(KEY, JSON.stringify(next));
  } catch {
    // Without storage it holds until the page closes, which is all that can be had.
  }
}

/** Follows what another page of ours set. Returns the way to stop. */
export function followPreferences(): () => void {
  const onStorage = (event: StorageEvent) => event.key === KEY && preferences.set(read());
  addEventListener("storage", onStorage);
  return () => removeEventListener("storage", onStorage);
}

function read(): Preferences {
  const stored = parse();
  const { language, theme } = typeof stored === "object" && stored !== null ? (stored as Record<string, unknown>) : {};
  return { language: isLanguage(language) ? language : "auto", theme: theme === "light" || theme === "dark" ? theme : "auto" };
}

function parse(): unknown {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "null");
  } catch {
    return null;
  }
}
