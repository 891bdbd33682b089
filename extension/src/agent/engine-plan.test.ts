// The card of a call that the host does not ask about: a title to read at a glance, and below it all that would be done.
import { expect, test } from "vitest";
import { enginePlan } from "./engine-plan.ts";
import type { CallLog } from "./log.ts";

const planOf = (tool: string, args: Record<string, unknown>) => enginePlan({ tool, args } as unknown as CallLog, "p", [], "app");

test.each([
  ["web_fetch", { max_chars: 20_000, url: "https://example.org/a" }, "web_fetch https://example.org/a"],
  ["schedule", { title: "Nightly check", task: "Look.\nThen tell.", every_minutes: 60 }, "schedule Nightly check"],
  ["spawn_agent", { task: "Read all.\nTell what is odd." }, "spawn_agent Read all."],
  ["todo", {}, "todo"],
])("the title of %s with %j is %j", (tool, args, title) => expect(planOf(tool, args).summary).toBe(title));

test("what the title leaves out is in the preview, and in what an answer is bound to", () => {
  const task = "Look.\nThen tell.";
  const { preview, digest } = planOf("schedule", { title: "Nightly check", task });
  expect(preview).toMatchObject({ kind: "call", arguments: [{ name: "title", value: "Nightly check" }, { name: "task", value: task }] });
  expect(digest).not.toBe(planOf("schedule", { title: "Nightly check", task: "Look." }).digest);
});
