/** A profile's name: the built-in ones are called in the person's language, the others as they were named. */
import type { Catalogue } from "../text/catalogue.ts";

export function profileName(id: string, name: string, text: Catalogue): string {
  const known: Record<string, string> = text.work.builtIn;
  return (Object.hasOwn(known, id) ? known[id] : undefined) ?? name;
}
