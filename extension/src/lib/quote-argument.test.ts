import { expect, test } from "vitest";
import { quoteArgument } from "./quote-argument.ts";

test.each([
  ["--test", "--test"],
  ["a b", "'a b'"],
  ["", "''"],
  ["it's", "'it'\\''s'"],
  ["$(rm)", "'$(rm)'"],
  ["src/**/*.ts", "'src/**/*.ts'"],
  ["größe=1", "größe=1"],
])("%j is typed as %j", (argument, expected) => expect(quoteArgument(argument)).toBe(expected));
