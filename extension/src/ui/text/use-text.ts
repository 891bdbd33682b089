/** Hands a component the words in the person's language. */
import { createContext, useContext } from "react";
import type { Catalogue } from "./catalogue.ts";
import { en } from "./en/index.ts";

export const TextContext = createContext<Catalogue>(en);

export function useText(): Catalogue {
  return useContext(TextContext);
}
