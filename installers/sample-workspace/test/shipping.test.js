import assert from "node:assert/strict";
import { test } from "node:test";
import { FREE_FROM, SHIPPING_COST, shippingFor } from "../src/shipping.js";

test("a small order pays for shipping", () => {
  assert.equal(shippingFor(1999), SHIPPING_COST);
});

test("a large order ships free", () => {
  assert.equal(shippingFor(8000), 0);
});

test("an order of exactly 50.00 ships free", () => {
  assert.equal(shippingFor(FREE_FROM), 0);
});
