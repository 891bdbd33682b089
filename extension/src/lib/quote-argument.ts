/**
 * Arguments as they are typed: quotes hold blanks together, a backslash keeps what follows it. Null: a quote is not closed.
 *
 * What {@link quoteArgument} wrote is read back as it was.
 */
export function splitArguments(line: string): string[] | null {
  const words = [...line.matchAll(/(?:[^\s'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+/gsu)];
  const rest = words.reduceRight((text, { index, 0: word }) => text.slice(0, index) + text.slice(index + word.length), line);
  if (rest.trim() !== "") return null;
  return words.map(([word]) => word.replaceAll(/'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/gsu, (_part, single?: string, double?: string, kept?: string) => single ?? double?.replaceAll(/\\(["\\])/gu, "$1") ?? kept ?? ""));
}

/**
 * One argument as it would have to be typed, so that where it begins and ends is beyond doubt.
 *
 * Plain words stay plain; anything else stands in single quotes.
 */
export function quoteArgument(argument: string): string {
  if (/^[\p{L}\p{N}_@%+=:,./-]+$/u.test(argument)) return argument;
  return `'${argument.replaceAll("'", "'\\''")}'`;
}
