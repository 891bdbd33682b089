// A refusal is over when the same is done after all, or when what was missing is there.
import { expect, test } from "vitest";
import { IntentRefused } from "../../app/panel-client.ts";
import type { Fault } from "../../wire/events.ts";
import { causesOf, overWith } from "./causes-of.ts";

const refused = (code: string, more: object = {}) => new IntentRefused({ code, message: "m", hint: null, retryable: true, ...more } as Fault);
const isOver = (causes: readonly string[], now: readonly string[]) => causes.some((cause) => now.includes(cause));

test("the same act upon the same thing, in whatever words", () => {
  const causes = causesOf("sendMessage", { session: "a", text: "one" }, refused("internal"));
  expect(isOver(causes, overWith("sendMessage", { session: "a", text: "two", attachments: ["x"] }))).toBe(true);
  expect(isOver(causes, overWith("sendMessage", { session: "b", text: "one" }))).toBe(false);
  expect(isOver(causes, overWith("stop", { session: "a" }))).toBe(false);
  expect(isOver(causesOf("deleteModel", { model: "a" }, new Error("x")), overWith("deleteModel", { model: "b" }))).toBe(false);
});

test("what was missing, by the fault's code", () => {
  expect(causesOf("startSession", {}, refused("disk_full"))).toContain("disk");
  expect(causesOf("sendMessage", {}, refused("busy"))).toContain("idle");
  expect(causesOf("pickWorkspace", {}, refused("host_exited", { reason: 4 }))).toContain("host");
  expect(causesOf("pickWorkspace", {}, refused("host_refused"))).toHaveLength(1);
});

test("another thing that could be written shows that there is room; one that was read does not", () => {
  expect(overWith("queueAdd", {})).toContain("disk");
  expect(overWith("listProfiles", {})).not.toContain("disk");
});

test("of a file that could not be taken, another one says nothing", () => {
  expect(causesOf("addAttachment", { session: "a" }, refused("too_large"))).toEqual([]);
});
