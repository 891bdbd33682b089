// Row 10: nothing waits for ever: a stream that says nothing is ended, one that is only slow is not.
import { expect, test } from "vitest";
import { patiently } from "./patiently.ts";

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test("a slow stream is heard to its end", async () => {
  async function* slow() {
    for (const part of [1, 2, 3, 4]) {
      await pause(30);
      yield part;
    }
  }
  expect(await Array.fromAsync(patiently(slow(), 600_000, () => new Error("silent")))).toEqual([1, 2, 3, 4]);
});

test("a silent one is ended with its reason, once, and what was said before stands", async () => {
  let ended = 0;
  async function* silent() {
    yield 1;
    await new Promise(() => {});
  }
  const heard: number[] = [];
  const all = async () => {
    for await (const part of patiently(silent(), 50, () => ((ended += 1), new Error("silent")))) heard.push(part);
  };
  await expect(all()).rejects.toThrow("silent");
  expect([heard, ended]).toEqual([[1], 1]);
});

test("who stops listening ends the stream", async () => {
  let isLetGo = false;
  async function* endless() {
    try {
      for (;;) yield 1;
    } finally {
      isLetGo = true;
    }
  }
  for await (const part of patiently(endless(), 600_000, () => new Error("silent"))) {
    expect(part).toBe(1);
    break;
  }
  await pause(0);
  expect(isLetGo).toBe(true);
});

test("a failure is passed on as it is", async () => {
  async function* broken() {
    yield 1;
    throw new TypeError("network");
  }
  await expect(Array.fromAsync(patiently(broken(), 600_000, () => new Error("silent")))).rejects.toThrow(TypeError);
});
