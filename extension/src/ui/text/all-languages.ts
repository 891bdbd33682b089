/** Every language at once: for what compares them. The panel itself loads the one it speaks, see `languages.ts`. */
import type { Catalogue } from "./catalogue.ts";
import { de } from "./de/index.ts";
import { en } from "./en/index.ts";
import type { Language } from "./languages.ts";
import { zh } from "./zh/index.ts";

export const LANGUAGES = { en, de, zh } as const satisfies Record<Language, Catalogue>;
