/** What every language has to say. A key that a language lacks, or has too many, is a fault of the types. */
import type { en } from "./en/index.ts";

export type Catalogue = typeof en;
