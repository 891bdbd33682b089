import { expect, test } from "vitest";
import { oneAtATime } from "./one-at-a-time.ts";

test("runs never overlap, and who asks gets a run that began afterwards", async () => {
  let known = 0;
  let running = 0;
  const told: number[] = [];
  const tell = oneAtATime(async () => {
    running += 1;
    expect(running).toBe(1);
    const seen = known;
    // The earlier ones take longer: side by side they would tell last what they had seen first.
    await new Promise((resolve) => setTimeout(resolve, 10 - told.length * 3));
    told.push(seen);
    running -= 1;
    return seen;
  });
  const first = tell();
  await Promise.resolve();
  known = 1;
  const second = tell();
  expect(tell()).toBe(second);
  await Promise.resolve();
  known = 2;
  expect(await first).toBe(0);
  expect(await second).toBe(2);
  known = 3;
  expect(await tell()).toBe(3);
  expect(told).toEqual([0, 2, 3]);
});

test("one that fails is told to who asked, and the next one runs", async () => {
  let broken = true;
  const run = oneAtATime(async () => {
    if (broken) throw new Error("no disk");
    return "well";
  });
  await expect(run()).rejects.toThrow("no disk");
  broken = false;
  expect(await run()).toBe("well");
});
