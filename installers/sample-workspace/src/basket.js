import { formatCents } from "./money.js";
import { shippingFor } from "./shipping.js";

// Adds up the lines of a basket: each has a price in cents and a quantity.
export function subtotalOf(lines) {
  return lines.reduce((sum, line) => sum + line.price * line.quantity, 0);
}

// What the customer pays, as text for the receipt.
export function receiptOf(lines) {
  const subtotal = subtotalOf(lines);
  const shipping = shippingFor(subtotal);
  return [
    `Subtotal ${formatCents(subtotal)}`,
    `Shipping ${formatCents(shipping)}`,
    `Total ${formatCents(subtotal + shipping)}`,
  ].join("\n");
}
