// Row 75: a command's output is seen while it runs, however much it writes, and what is left out of it is counted.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { AgentEvent } from "./events.ts";
import { LATE_OUTPUT, LATE_OUTPUT_MS, OUTPUT_KEPT } from "./limits.ts";
import { LiveOutput } from "./live-output.ts";

beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => vi.useRealTimers());

function watched() {
  const written: Extract<AgentEvent, { type: "ToolOutput" }>[] = [];
  const append = async (...events: readonly AgentEvent[]) => void written.push(...(events as typeof written));
  const output = new LiveOutput({ append }, "c");
  let offset = 0;
  const add = (text: string) => {
    output.add({ call: "c", text, offset, skipped_bytes: 0 });
    offset += text.length;
  };
  return { written, output, add, text: () => written.map((each) => each.text).join("") };
}

test("pieces are written together, and none is lost", async () => {
  const { written, output, add, text } = watched();
  add("one ");
  add("two ");
  await vi.advanceTimersByTimeAsync(100);
  expect(written).toHaveLength(1);
  add("three");
  await output.flush();
  expect(text()).toBe("one two three");
  expect(written.at(-1)?.skippedBytes).toBe(0);
});

test("a command that writes on behind what the log keeps is seen to work, and what is left out is counted to its end", async () => {
  const { written, output, add, text } = watched();
  add("a".repeat(OUTPUT_KEPT - 10));
  for (let line = 0; line < 600; line += 1) {
    add(`${"x".repeat(200)}${line}\n`);
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(written.length).toBeLessThan(2 + Math.ceil((600 * 100) / LATE_OUTPUT_MS) + 1);
  expect(text().length).toBeLessThan(OUTPUT_KEPT + 8 * LATE_OUTPUT);
  add("the last line\n");
  await output.flush();
  expect(text()).toMatch(/the last line\n$/u);
  const all = OUTPUT_KEPT - 10 + Array.from({ length: 600 }, (_, line) => 200 + String(line).length + 1).reduce((sum, each) => sum + each, 0) + 14;
  expect(text().length + (written.at(-1)?.skippedBytes ?? 0)).toBe(all);
});
