/**
 * One argument as it would have to be typed, so that where it begins and ends is beyond doubt.
 *
 * Plain words stay plain; anything else stands in single quotes.
 */
export function quoteArgument(argument: string): string {
  if (/^[\p{L}\p{N}_@%+=:,./-]+$/u.test(argument)) return argument;
  return `'${argument.replaceAll("'", "'\\''")}'`;
}
