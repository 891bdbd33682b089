/** "12 kB": a size as a person reads it, in the writing of a language. */
export function formatBytes(bytes: number, language: string): string {
  const units = ["B", "kB", "MB", "GB"];
  let value = bytes;
  let unit = 0;
  // Beside the round number, so that nothing reads "1000 kB".
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value.toLocaleString(language, { maximumFractionDigits: unit === 0 || value >= 99.95 ? 0 : 1 })} ${units[unit] ?? ""}`;
}
