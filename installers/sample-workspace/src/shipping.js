// Orders from this amount up are sent for free.
export const FREE_FROM = 5000;

export const SHIPPING_COST = 490;

// What sending an order costs, in cents.
export function shippingFor(subtotal) {
  if (subtotal > FREE_FROM) return 0;
  return SHIPPING_COST;
}
