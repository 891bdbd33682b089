// Writes whole cents as a person reads them: 1250 is 12.50.
export function formatCents(cents) {
  const sign = cents < 0 ? "-" : "";
  const amount = Math.abs(cents);
  return `${sign}${Math.floor(amount / 100)}.${String(amount % 100).padStart(2, "0")}`;
}
