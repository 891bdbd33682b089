// The wait a server asks for: `retry-after-ms`, or `Retry-After` in seconds or as a date.

export function retryAfterMs(headers: Readonly<Record<string, string>> | undefined, now: number): number | null {
  if (headers === undefined) return null;
  const found = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value.trim()]));
  const exact = Number.parseFloat(found.get("retry-after-ms") ?? "");
  if (Number.isFinite(exact) && exact >= 0) return exact;
  const value = found.get("retry-after");
  if (value === undefined || value === "") return null;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
