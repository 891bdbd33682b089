// Row 44: numbers are written as the person's language writes them.
import { expect, test } from "vitest";
import { formatBytes } from "./format-bytes.ts";
import { formatCount } from "./format-count.ts";

test.each([
  [0, "0", "0"],
  [999, "999", "999"],
  [1000, "1k", "1k"],
  [8_440, "8.4k", "8,4k"],
  [99_949, "99.9k", "99,9k"],
  [99_960, "100k", "100k"],
  [999_499, "999k", "999k"],
  [999_960, "1M", "1M"],
  [1_234_567, "1.2M", "1,2M"],
])("%d tokens", (count, english, german) => {
  expect([formatCount(count, "en"), formatCount(count, "de")]).toEqual([english, german]);
});

test.each([
  [0, "0 B", "0 B"],
  [999, "999 B", "999 B"],
  [12_400, "12.4 kB", "12,4 kB"],
  [99_960, "100 kB", "100 kB"],
  [999_960, "1 MB", "1 MB"],
  [1_500_000_000_000, "1,500 GB", "1.500 GB"],
])("%d bytes", (bytes, english, german) => {
  expect([formatBytes(bytes, "en"), formatBytes(bytes, "de")]).toEqual([english, german]);
});
