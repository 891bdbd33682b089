/** "1.2k": a count as a person reads it. */
export function formatCount(count: number): string {
  if (count < 1000) return String(count);
  if (count < 100_000) return `${Math.round(count / 100) / 10}k`;
  return count < 1_000_000 ? `${Math.round(count / 1000)}k` : `${Math.round(count / 100_000) / 10}M`;
}
