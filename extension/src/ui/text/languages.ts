/**
 * The languages the panel speaks, and which of them a person gets: the one that was set, else the first the browser prefers.
 *
 * English is always there, for what cannot be loaded; another one is loaded by who wants it.
 */
import type { Catalogue } from "./catalogue.ts";
import { en } from "./en/index.ts";

/** As each calls itself. */
export const LANGUAGE_NAMES = { en: "English", de: "Deutsch", zh: "简体中文" } as const;

export type Language = keyof typeof LANGUAGE_NAMES;

/** What can be set; `auto` is the browser's wish. */
export type LanguageSetting = Language | "auto";

const READ: Record<Exclude<Language, "en">, () => Promise<Catalogue>> = {
  de: async () => (await import("./de/index.ts")).de,
  zh: async () => (await import("./zh/index.ts")).zh,
};

const known = new Map<Language, Catalogue>([["en", en]]);

/** Null: not loaded yet. */
export function knownWords(language: Language): Catalogue | null {
  return known.get(language) ?? null;
}

/** Where it cannot be loaded, English is spoken. */
export async function loadWords(language: Language): Promise<Catalogue> {
  const words = knownWords(language) ?? (language === "en" ? en : await READ[language]().catch(() => null));
  if (words === null) return en;
  known.set(language, words);
  return words;
}

export function isLanguage(value: unknown): value is Language {
  return typeof value === "string" && Object.hasOwn(LANGUAGE_NAMES, value);
}

export function chooseLanguage(setting: LanguageSetting, wishes: readonly string[]): Language {
  if (setting !== "auto") return setting;
  return wishes.map((wish) => wish.toLowerCase().split("-")[0]).find(isLanguage) ?? "en";
}
