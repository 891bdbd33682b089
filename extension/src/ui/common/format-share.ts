/** Shares and prices in the person's own way of writing numbers. */
function language(): string {
  return document.documentElement.lang || "en";
}

export function formatShare(value: number): string {
  return new Intl.NumberFormat(language(), { style: "percent", maximumFractionDigits: 0 }).format(value);
}

/** Cents matter where there are few of them: below one dollar four digits are shown. */
export function formatPrice(dollars: number): string {
  const digits = dollars !== 0 && Math.abs(dollars) < 1 ? 4 : 2;
  return new Intl.NumberFormat(language(), { style: "currency", currency: "USD", minimumFractionDigits: 2, maximumFractionDigits: digits }).format(dollars);
}
