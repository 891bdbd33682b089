/** The languages the panel speaks, and which of them a person gets: the one that was set, else the first the browser prefers. */
import type { Catalogue } from "./catalogue.ts";
import { de } from "./de/index.ts";
import { en } from "./en/index.ts";
import { zh } from "./zh/index.ts";

export const LANGUAGES = { en, de, zh } as const satisfies Record<string, Catalogue>;

export type Language = keyof typeof LANGUAGES;

/** What can be set; `auto` is the browser's wish. */
export type LanguageSetting = Language | "auto";

export function isLanguage(value: unknown): value is Language {
  return typeof value === "string" && Object.hasOwn(LANGUAGES, value);
}

export function chooseLanguage(setting: LanguageSetting, wishes: readonly string[]): Language {
  if (setting !== "auto") return setting;
  return wishes.map((wish) => wish.toLowerCase().split("-")[0]).find(isLanguage) ?? "en";
}
