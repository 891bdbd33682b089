import assert from "node:assert/strict";
import { test } from "node:test";
import { receiptOf, subtotalOf } from "../src/basket.js";

test("a basket adds up its lines", () => {
  const lines = [
    { price: 1250, quantity: 2 },
    { price: 399, quantity: 1 },
  ];
  assert.equal(subtotalOf(lines), 2899);
});

test("an empty basket costs nothing", () => {
  assert.equal(subtotalOf([]), 0);
});

test("a receipt names subtotal, shipping and total", () => {
  assert.equal(receiptOf([{ price: 2000, quantity: 1 }]), "Subtotal 20.00\nShipping 4.90\nTotal 24.90");
});
