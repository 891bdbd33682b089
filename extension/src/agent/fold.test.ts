// Row 12: many events folded at once say what they say one by one, and change nothing that was seen before.
import { expect, test } from "vitest";
import { SessionScript } from "../testing/session-script.ts";
import { emptyLog, foldEvent, foldEvents, foldMore } from "./fold.ts";
import { viewSession } from "./projection.ts";

const read = (path: string) => ({ tool: "fs_read", args: { path }, text: path });

function long() {
  const script = new SessionScript().say("one").begin().wait(5).step([read("a"), read("b")]).wait(7).step([]).end();
  script.say("two").begin().step([read("c")]).askFor("fs_edit").wait(9).allow("ok").step([]).end();
  const first = script.log.turns[0]?.id ?? "";
  script.add({ type: "BranchStart", branch: "b", kind: "fork", from: first }).say("three").begin().step([read("d")]).step([]).end();
  script.add({ type: "BranchSelected", branch: "main" }).say("four").begin().wait(3).step([read("e")]).step([]).end();
  script.add({ type: "BranchSelected", branch: "b" });
  return script;
}

test("in any two parts, the same as one by one", () => {
  const { events, log } = long();
  expect(foldEvents("s", events)).toEqual(log);
  for (let cut = 0; cut <= events.length; cut += 1) {
    const before = foldMore(emptyLog("s"), events.slice(0, cut));
    const seen = structuredClone(before);
    expect(foldMore(before, events.slice(cut))).toEqual(log);
    // Whoever holds the log of before still holds it.
    expect(before).toEqual(seen);
    const next = events[cut];
    if (next !== undefined) foldEvent(before, next);
    expect(before).toEqual(seen);
  }
});

test("a question ends with its call, however that ended; what was answered stays answered", () => {
  const question = { title: "Which?", link: null, fields: [] };
  const asked = () => {
    const script = new SessionScript().say("one").begin();
    const turn = script.log.turns[0]?.id ?? "";
    const step = `${turn}.1`;
    script.add({ type: "StepStart", turn, step, index: 0, attempt: 1 });
    script.add({ type: "ToolRequested", step, call: "q", providerCall: "p", tool: "ask_question", argsText: "{}", readOnly: true, path: null });
    script.add({ type: "AssistantDone", step, text: "", reasoning: "", finish: "tool_calls", usage: null });
    return script.add({ type: "QuestionAsked", call: "q", question });
  };
  const result = { type: "ToolResult" as const, call: "q", isError: true, text: "failed", structured: null, origin: "engine" as const, replayed: false, durationMs: null };
  expect(asked().add(result).log.turns[0]?.steps[0]?.calls[0]?.question).toMatchObject({ status: "cancelled", answer: null });
  expect(asked().add({ type: "QuestionAnswered", call: "q", answer: {} }, result).log.turns[0]?.steps[0]?.calls[0]?.question).toMatchObject({ status: "completed" });
});

test("of a long output the end is kept, and what is left out is counted with what the host left out", () => {
  const script = new SessionScript().say("one").begin();
  const step = `${script.log.turns[0]?.id ?? ""}.1`;
  script.add({ type: "StepStart", turn: script.log.turns[0]?.id ?? "", step, index: 0, attempt: 1 });
  script.add({ type: "ToolRequested", step, call: "c", providerCall: "p", tool: "exec_run", argsText: "{}", readOnly: false, path: null });
  script.add({ type: "AssistantDone", step, text: "", reasoning: "", finish: "tool_calls", usage: null });
  for (const [text, skippedBytes] of [["a".repeat(60_000), 0], ["b".repeat(60_000), 7], ["end", 7]] as const) script.add({ type: "ToolOutput", call: "c", text, offset: 0, skippedBytes });
  const shown = viewSession(script.log).turns[0]?.steps[0]?.calls[0];
  expect([shown?.output.length, shown?.output.endsWith("end"), shown?.outputSkippedBytes]).toEqual([65_536, true, 120_003 - 65_536 + 7]);
});
