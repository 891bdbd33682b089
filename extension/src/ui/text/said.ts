/**
 * Sentences that come from the host or the log in English, by fixed patterns with facts in them, said in the reader's language.
 * What fits no pattern is shown as it came: nothing is ever hidden because its words are not known.
 */
export type Patterns<Name extends string> = readonly (readonly [RegExp, Name])[];

export function said<Name extends string>(original: string, patterns: Patterns<Name>, words: Readonly<Record<Name, string | ((...facts: string[]) => string)>>): string {
  for (const [pattern, name] of patterns) {
    const found = pattern.exec(original);
    if (found === null) continue;
    const word = words[name];
    return typeof word === "string" ? word : word(...found.slice(1));
  }
  return original;
}
