// Row 67: one writer for a session. What the last one left under way is taken up as soon as it is gone.
import { expect, test } from "vitest";
import { lockSession, sessionFree } from "./session-lock.ts";

test("who holds a session keeps it, and lets it go to the next", async () => {
  const release = await lockSession("a");
  expect(await lockSession("a", 20)).toBeNull();
  // A busy machine takes longer to give what is free.
  expect(await lockSession("b", 60_000)).not.toBeNull();
  release?.();
  expect(await lockSession("a", 60_000)).not.toBeNull();
});

test("one whose context is just ending is waited for", async () => {
  const release = await lockSession("c");
  setTimeout(() => release?.(), 100);
  expect(await lockSession("c", 60_000)).not.toBeNull();
});

test("who waits until nobody holds it waits as long as that takes, and holds nothing then", async () => {
  const release = await lockSession("d");
  let isFree = false;
  const waited = sessionFree("d").then(() => (isFree = true));
  expect(await lockSession("d", 50)).toBeNull();
  expect(isFree).toBe(false);
  release?.();
  await waited;
  expect(await lockSession("d", 60_000)).not.toBeNull();
});
