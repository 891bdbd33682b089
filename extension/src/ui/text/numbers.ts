/** Numbers as one language writes them, for its catalogue. */
import { formatPrice } from "../common/format-share.ts";
import { formatBytes } from "../../lib/format-bytes.ts";

export function numbersIn(language: string) {
  const whole = (count: number | string) => Number(count).toLocaleString(language);
  return {
    whole,
    /** "1 file", "2 files": for languages with two forms. */
    plural: (count: number, one: string, many: string) => `${whole(count)} ${count === 1 ? one : many}`,
    /** Of bytes, as they stand in a sentence of the host. */
    size: (bytes: string) => formatBytes(Number(bytes), language),
    price: (dollars: string) => formatPrice(Number(dollars), language),
  };
}
