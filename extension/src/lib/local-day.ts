// The day of a moment, in the time of this machine: `2026-11-21`.
export function localDay(at: number): string {
  const date = new Date(at);
  const two = (number: number) => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
