/** A profile's name: the built-in ones are called in the person's language, unless they were named anew; the others as they were named. */
import { BUILT_IN_PROFILES } from "../../agent/profile.ts";
import type { Catalogue } from "../text/catalogue.ts";

export function profileName(id: string, name: string, text: Catalogue): string {
  const known: Record<string, string> = text.work.builtIn;
  const isNamedAnew = BUILT_IN_PROFILES.some((profile) => profile.id === id && profile.name !== name && id !== name);
  return (!isNamedAnew && Object.hasOwn(known, id) ? known[id] : undefined) ?? name;
}
