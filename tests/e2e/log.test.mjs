// The look at the log must find what it looks for.
import assert from "node:assert/strict";
import { test } from "node:test";
import { explainLogFaults } from "./lib/log.mjs";

const whole = [
  { type: "TurnStart" },
  { type: "ToolRequested", step: "s1", call: "c1", tool: "fs_read" },
  { type: "ToolRequested", step: "s1", call: "c2", tool: "fs_list" },
  { type: "AssistantDone", step: "s1" },
  { type: "ToolResult", call: "c2" },
  { type: "ToolResult", call: "c1" },
  { type: "ToolRequested", step: "s2", call: "c3", tool: "fs_edit" },
  { type: "StreamCut", step: "s2" },
  { type: "TurnEnd" },
];

const stored = (events) => events.map((event, index) => ({ session: "one", seq: index + 1, event }));

test("a whole log is without fault", () => {
  assert.deepEqual(explainLogFaults(stored(whole)), []);
});

for (const [name, events, fault] of [
  ["a missing result", whole.filter((event) => event.call !== "c1" || event.type !== "ToolResult"), /c1 of fs_read has 0 results instead of 1/],
  ["a second result", whole.toSpliced(5, 0, { type: "ToolResult", call: "c2" }), /c2 of fs_list has 2 results instead of 1/],
  ["a result of a call that was cut", whole.toSpliced(8, 0, { type: "ToolResult", call: "c3" }), /c3 of fs_edit has 1 results instead of 0/],
  ["a result before its call", [{ type: "ToolResult", call: "c1" }, ...whole], /comes before its call/],
  ["a turn without an end", whole.slice(0, -1), /1 turns have no end/],
]) {
  test(`${name} is a fault`, () => {
    assert.match(explainLogFaults(stored(events)).join("\n"), fault);
  });
}

test("a gap in the numbers is a fault", () => {
  assert.match(explainLogFaults(stored(whole).filter((entry) => entry.seq !== 3)).join("\n"), /event 3 has the number 4/);
});
