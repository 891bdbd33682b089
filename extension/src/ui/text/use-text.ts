/** Hands a component the words in the person's language. */
import { createContext, useContext } from "react";
import { type Catalogue, en } from "./en.ts";

export const TextContext = createContext<Catalogue>(en);

export function useText(): Catalogue {
  return useContext(TextContext);
}
