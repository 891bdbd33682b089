// Rows 3, 45: a recorded session runs again as it ran: the same engine, the recorded model, the recorded results, the same person.
import { expect, test } from "vitest";
import type { AgentEvent } from "../agent/events.ts";
import { replayModel } from "../llm/replay.ts";
import { FakeHost, type FakeTool } from "../testing/fake-host.ts";
import { FakeWorld } from "../testing/fake-world.ts";
import { callTools, say, ScriptedModel } from "../testing/scripted-model.ts";
import { allowAll, editTool, execTool, readTool } from "../testing/session-log.ts";

/** What a log says, without what is new in each life: names, times, processes. Pieces of one stream are one text. */
function shape(events: readonly AgentEvent[]): string {
  const names = new Map<string, string>();
  const named = (text: string) =>
    text.replaceAll(/[0-9A-HJKMNP-TV-Z]{26}/g, (id) => {
      const known = names.get(id) ?? `id${names.size}`;
      names.set(id, known);
      return known;
    });
  const kept = events.filter(({ type }) => type !== "AssistantDelta" && type !== "ReasoningDelta" && type !== "ToolOutput" && type !== "ToolProgress");
  return kept.map((event) => named(JSON.stringify(event, (key, value: unknown) => (key === "durationMs" || key === "duration_ms" || key === "modelLabel" || key === "requestState" || key === "instance" ? null : value)))).join("\n");
}

const tools: readonly FakeTool[] = [readTool, editTool, execTool];

/** Each tool gives its recorded results in their order. */
function recordedTools(events: readonly AgentEvent[]): readonly FakeTool[] {
  return tools.map((tool) => {
    const calls = events.flatMap((event) => (event.type === "ToolRequested" && event.tool === tool.name ? [event] : []));
    return {
      ...tool,
      run: (args) => {
        const call = calls.find(({ argsText }) => argsText === JSON.stringify(args))?.call;
        const result = events.find((event) => event.type === "ToolResult" && event.call === call);
        return { text: result?.type === "ToolResult" ? result.text : "not recorded", isError: result?.type === "ToolResult" && result.isError };
      },
    };
  });
}

test("as it ran", async () => {
  const first = new FakeWorld(
    ScriptedModel.steps(
      () => callTools(["fs_read", { path: "a" }]),
      () => callTools(["fs_edit", { path: "a" }]),
      () => callTools(["exec_run", { command: "test" }]),
      () => say("done"),
    ),
    new FakeHost().add(...tools),
  );
  const session = await first.engine.startSession("work");
  await allowAll(first, session);
  const recorded = (await first.storage.readEvents(session, 0)).map(({ event }) => event);

  const again = new FakeWorld(replayModel(recorded), new FakeHost().add(...recordedTools(recorded)));
  const replayed = await again.engine.startSession("work");
  await allowAll(again, replayed);
  expect(shape((await again.storage.readEvents(replayed, 0)).map(({ event }) => event))).toBe(shape(recorded));
});
