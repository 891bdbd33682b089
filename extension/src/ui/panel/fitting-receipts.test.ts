// Receipts leave the room to what they are about: at most two fifths of it, and the newest is always there.
import { expect, test } from "vitest";
import { fittingReceipts, type Weighed } from "./fitting-receipts.ts";

const good = (height: number): Weighed => ({ height, isBad: false, isHeld: false });
const bad = (height: number): Weighed => ({ height, isBad: true, isHeld: false });
const held = (height: number): Weighed => ({ height, isBad: false, isHeld: true });

test.each([
  ["three short ones all stand", [bad(36), good(36), good(36)], 500, [true, true, true]],
  ["the oldest of three long ones gives way", [bad(78), bad(78), bad(78)], 500, [false, true, true]],
  ["what went well gives way before what went wrong", [bad(78), good(78), bad(78)], 500, [true, false, true]],
  ["the newest stands, though there is room for none", [bad(78), bad(78), good(78)], 100, [false, false, true]],
  ["one under the hand stays", [held(78), bad(78), good(78)], 400, [true, false, true]],
  ["a short one stands where a long one would not", [bad(30), bad(120), bad(120)], 400, [true, false, true]],
  ["none", [], 500, []],
] as const)("%s", (_, all, room, shown) => expect(fittingReceipts(all, room)).toEqual(shown));
