// Rows 2, 10 (ancestor fault 16): an answer that the provider ended before it was whole is never taken for the final one. Over real HTTP.
import { afterEach, describe, expect, test } from "vitest";
import { newUlid } from "../lib/ids.ts";
import { makeModel } from "../llm/providers.ts";
import { FakeHost } from "../testing/fake-host.ts";
import { FakeWorld } from "../testing/fake-world.ts";
import { say, ScriptedModel } from "../testing/scripted-model.ts";
import { callsOf, editTool, readTool } from "../testing/session-log.ts";
import { serve, stream, type SseAnswer } from "../testing/sse-server.ts";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function worldWith(...answers: readonly SseAnswer[]) {
  const server = await serve(...answers);
  closing.push(server.close);
  const model = makeModel("openai_compatible", { label: "It", baseUrl: server.baseUrl, modelName: "m", apiKey: null }, false);
  return { server, world: new FakeWorld(model, new FakeHost().add(readTool, editTool)) };
}

const rolesOf = (messages: readonly Record<string, unknown>[] = []) => messages.map(({ role }) => role);
const said = (delta: Record<string, unknown>, finish = "stop"): SseAnswer => (response) => stream(response, [delta], finish);

test.each([
  ["length", "answer_cut"],
  ["content_filter", "answer_filtered"],
])("%s: the turn says so, what came stays, and Retry goes on from there", async (finish, code) => {
  const { server, world } = await worldWith(said({ content: "The first half" }, finish), said({ content: "and the rest" }), said({ content: "well" }));
  const session = await world.engine.startSession("tell me");
  const log = await world.ended(session);
  expect(log.turns[0]).toMatchObject({ outcome: "failed", fault: { code, retryable: true }, steps: [{ text: "The first half" }] });
  await world.engine.resume(session);
  const whole = await world.until(session, ({ turns }) => turns[0]?.outcome === "complete");
  expect(whole.turns[0]?.steps.map(({ text }) => text)).toEqual(["The first half", "and the rest"]);
  // No provider is asked to go on from its own words alone, and the talk reads the same afterwards.
  expect(rolesOf(server.seen[1]?.body.messages)).toEqual(["system", "user", "assistant", "user"]);
  await world.engine.sendMessage(session, "thanks");
  await world.until(session, ({ turns }) => turns[1]?.outcome === "complete");
  expect(rolesOf(server.seen[2]?.body.messages)).toEqual(["system", "user", "assistant", "user", "assistant", "user"]);
  expect(server.seen[2]?.body.messages.slice(0, 4)).toEqual(server.seen[1]?.body.messages);
});

test("all of it went into thinking: that is told, and not an empty answer", async () => {
  const { world } = await worldWith(said({ reasoning_content: "hm" }, "length"));
  expect((await world.ended(await world.engine.startSession("go"))).turns[0]).toMatchObject({ outcome: "failed", fault: { code: "answer_cut" } });
});

test("in the middle of a call: it is not run, the model is told, and what goes back can be read", async () => {
  const half = said({ tool_calls: [{ index: 0, id: "c1", type: "function", function: { name: "fs_edit", arguments: '{"path": "a", "new": "half' } }] }, "length");
  const { server, world } = await worldWith(half, said({ content: "in smaller parts" }));
  const session = await world.engine.startSession("edit");
  const log = await world.ended(session);
  expect(log.turns[0]?.outcome).toBe("complete");
  expect(callsOf(log)[0]?.result?.text).toMatch(/^invalid_args/);
  expect(world.host.effects.size).toBe(0);
  const sent = server.seen[1]?.body.messages.find(({ role }) => role === "assistant") as { tool_calls: { function: { arguments: string } }[] };
  expect(JSON.parse(sent.tool_calls[0]?.function.arguments ?? "")).toEqual({ unreadable_arguments: '{"path": "a", "new": "half' });
});

test("Stop at the last step's end, then Retry: the model is called on, not left with its own words", async () => {
  const { server, world } = await worldWith(said({ content: "one" }), said({ content: "two" }));
  const session = await world.engine.startSession("go");
  await world.ended(session);
  const events = await world.storage.readEvents(session, 0);
  const end = events.findIndex(({ event }) => event.type === "StepEnd");
  const turn = events.find(({ event }) => event.type === "TurnStart")?.event;
  const id = turn?.type === "TurnStart" ? turn.turn : "";
  const place = (seq: number) => ({ session, seq, id: newUlid(), parent: null, at: Date.now() });
  const stopped = [...events.slice(0, end + 1), { ...place(end + 2), event: { type: "StopRequested" as const, turn: id } }, { ...place(end + 3), event: { type: "TurnEnd" as const, turn: id, outcome: "cancelled" as const, fault: null } }];
  const again = await FakeWorld.restored(stopped, makeModel("openai_compatible", { label: "It", baseUrl: server.baseUrl, modelName: "m", apiKey: null }, false));
  await again.engine.resume(session);
  await again.until(session, ({ turns }) => turns[0]?.outcome === "complete");
  expect(rolesOf(server.seen[1]?.body.messages)).toEqual(["system", "user", "assistant", "user"]);
});

describe("the time cap", () => {
  test("pauses a stream that drips on and on, keeps what came, and Continue asks again", async () => {
    let isSlow = true;
    let ended = false;
    let world: FakeWorld | null = null;
    const model = new ScriptedModel(() => async function* ({ signal }) {
      if (!isSlow) return yield* say("quick");
      signal.addEventListener("abort", () => (ended = true));
      for (let drops = 0; drops < 60; drops += 1) {
        yield { type: "text" as const, text: "drop " };
        if (world !== null) world.clockMs += 2 * 60_000;
      }
    });
    world = new FakeWorld(model, new FakeHost());
    const session = await world.engine.startSession("go", { limits: { minutes: 15 } });
    const log = await world.until(session, ({ turns }) => turns[0]?.paused !== null || turns[0]?.outcome !== null);
    expect(log.turns[0]).toMatchObject({ paused: { reason: "time_cap" }, steps: [{ state: "cut", text: expect.stringMatching(/^(?:drop ){8}/) }] });
    expect([ended, model.requests.length]).toEqual([true, 1]);
    isSlow = false;
    await world.engine.resume(session);
    expect((await world.ended(session)).turns[0]).toMatchObject({ outcome: "complete", steps: [{ state: "cut" }, { text: "quick" }] });
  });
});
