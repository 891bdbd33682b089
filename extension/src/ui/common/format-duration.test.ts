// Row 44: how long something took, as each language writes it, in the largest unit that says enough.
import { expect, test } from "vitest";
import { de } from "../text/de/index.ts";
import { en } from "../text/en/index.ts";
import { zh } from "../text/zh/index.ts";
import { formatDuration, formatRunning } from "./format-duration.ts";

test.each([
  [350, "350 ms", "350 ms", "350 毫秒"],
  [2_400, "2.4 s", "2,4 s", "2.4 秒"],
  [59_700, "1 min", "1 min", "1 分"],
  [192_000, "3 min 12 s", "3 min 12 s", "3 分 12 秒"],
  [4_800_000, "1 h 20 min", "1 h 20 min", "1 小时 20 分"],
])("%d ms", (span, english, german, chinese) => {
  expect([en, de, zh].map((text) => formatDuration(span, text))).toEqual([english, german, chinese]);
});

test("a clock that runs counts whole seconds", () => {
  expect([1_999, 59_999, 60_000, 3_600_000].map((span) => formatRunning(span, en))).toEqual(["1 s", "59 s", "1 min", "1 h"]);
});
