/** "1.2k", in German "1,2k": a count as a person reads it, in the writing of a language. */
export function formatCount(count: number, language: string): string {
  // Beside the round number, so that nothing reads "1000k".
  const [size, unit] = count >= 999_500 ? [1_000_000, "M"] : count >= 1000 ? [1000, "k"] : [1, ""];
  const digits = size === 1000 && count >= 99_950 ? 0 : 1;
  return `${(count / size).toLocaleString(language, { maximumFractionDigits: digits })}${unit}`;
}
