/** What becomes of the line ends of a file, which no line of a diff shows. */
import type { Catalogue } from "../text/catalogue.ts";

export function lineEndWords({ before, after }: { readonly before: string; readonly after: string }, text: Catalogue): string {
  const { ends, lineEnds, someLineEnds } = text.diff;
  const named = (end: string) => (Object.hasOwn(ends, end) ? ends[end as keyof typeof ends] : end);
  return before === after ? someLineEnds : lineEnds(named(before), named(after));
}
