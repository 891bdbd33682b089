import assert from "node:assert/strict";
import { test } from "node:test";
import { formatCents } from "../src/money.js";

test("cents are written with two digits", () => {
  assert.equal(formatCents(1205), "12.05");
  assert.equal(formatCents(0), "0.00");
});

test("a refund carries its sign", () => {
  assert.equal(formatCents(-490), "-4.90");
});
