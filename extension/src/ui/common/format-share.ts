/** Shares and prices, in the writing of a language. */
export function formatShare(value: number, language: string): string {
  return new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 0 }).format(value);
}

/** Cents matter where there are few of them: below one dollar four digits are shown. */
export function formatPrice(dollars: number, language: string): string {
  const digits = dollars !== 0 && Math.abs(dollars) < 1 ? 4 : 2;
  return new Intl.NumberFormat(language, { style: "currency", currency: "USD", minimumFractionDigits: 2, maximumFractionDigits: digits }).format(dollars);
}
