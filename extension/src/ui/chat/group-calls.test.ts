import { expect, test } from "vitest";
import { asking, call } from "../gallery/parts.ts";
import { commandPlan, editPlan, secondEditPlan } from "../gallery/plans.ts";
import { groupCalls } from "./group-calls.ts";

test("waiting calls of one group share a card where the first stands; others have their own", () => {
  const groups = groupCalls([call("fs_read", { path: "a" }), asking(editPlan, "g"), call("fs_read", { path: "b" }), asking(secondEditPlan, "g"), asking(commandPlan)]);
  expect(groups.map((group) => [group.kind, group.calls.map((one) => one.tool)])).toEqual([
    ["lines", ["fs_read"]],
    ["asking", ["fs_edit", "fs_write"]],
    ["lines", ["fs_read"]],
    ["asking", ["exec_run"]],
  ]);
});
