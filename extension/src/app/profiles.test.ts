// Rows 1, 6, 37: profiles are data, a session keeps what it began with, and every part of a prompt says where it is from.
import { describe, expect, test } from "vitest";
import { BUILT_IN_PROFILES, withProfile } from "../agent/profile.ts";
import { readProfile } from "../agent/read-profile.ts";
import { FakeHost } from "../testing/fake-host.ts";
import { FakeWorld } from "../testing/fake-world.ts";
import { resultCode } from "../agent/projection.ts";
import { callTools, say, ScriptedModel } from "../testing/scripted-model.ts";
import { callsOf, editTool, execTool, readTool } from "../testing/session-log.ts";

const poet = { id: "poet", name: "Poet", instructions: "Answer in verse.", thinking: "low" as const, tools: ["fs_read"], limits: { steps: 3 } };

describe("row 1: profiles", () => {
  test("change what the model is told, which tools it sees, how long it thinks and when it stops", async () => {
    const model = new ScriptedModel(() => () => say("ok"));
    const world = new FakeWorld(model, new FakeHost().add(readTool, editTool));
    await world.engine.profiles.save(poet);
    await world.engine.selectProfile(null, "poet");
    const session = await world.engine.startSession("sing");
    const log = await world.ended(session);
    expect(log.config).toMatchObject({ profile: "poet", thinking: "low", limits: { steps: 3 } });
    expect(model.requests[0]).toMatchObject({ thinking: "low", system: expect.stringMatching(/Answer in verse\.$/) });
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(["fs_read"]);
    // The profile goes; the session keeps what it has.
    await world.engine.profiles.remove("poet");
    await world.engine.sendMessage(session, "again");
    await world.until(session, ({ turns }) => turns[1]?.outcome === "complete");
    expect(model.requests[1]?.system).toContain("Answer in verse.");
    await expect(world.engine.selectProfile(session, "poet")).rejects.toMatchObject({ fault: { code: "no_profile" } });
    // Back to the plain one: nothing of the poet stays but what was chosen beside it.
    await world.engine.selectProfile(session, "write");
    await world.engine.sendMessage(session, "plain");
    await world.until(session, ({ turns }) => turns[2]?.outcome === "complete");
    expect(model.requests[2]?.system).not.toContain("verse");
    expect(model.requests[2]?.tools.map(({ name }) => name)).toContain("fs_edit");
  });

  test("what a profile does not name is not run either, whoever calls it, and nobody is asked about it", async () => {
    const calls = [["fs_edit", { path: "a" }], ["exec_run", {}], ["spawn_agent", { task: "x" }], ["web_fetch", { url: "https://example.org/" }], ["finish", { summary: "x" }], ["fs_read", { path: "a" }]] as const;
    const model = ScriptedModel.steps(() => callTools(...calls), () => say("ok"));
    const world = new FakeWorld(model, new FakeHost().add(readTool, editTool, execTool));
    await world.engine.grants.addRule(null, { effect: "ask", scope: "always", target: { tool: "exec_run" } });
    const session = await world.engine.startSession("go", { tools: ["fs_read"] });
    const log = await world.ended(session);
    expect(callsOf(log).map(({ tool, result }) => [tool, resultCode(result?.structured)])).toEqual([...calls.slice(0, -1).map(([tool]) => [tool, "not_found"]), ["fs_read", null]]);
    expect(world.host.requests.map(({ name }) => name)).toEqual(["fs_read"]);
    expect(log.turns[0]?.outcome).toBe("complete");
  });

  test("how long it may think is left to the model again, in this session and in new ones", async () => {
    const model = new ScriptedModel(() => () => say("ok"));
    const world = new FakeWorld(model, new FakeHost());
    const session = await world.engine.startSession("go", { thinking: "high" });
    await world.ended(session);
    await world.engine.configure(session, { thinking: "low" });
    await world.engine.configure(session, { thinking: undefined });
    await world.engine.sendMessage(session, "again");
    const log = await world.until(session, ({ turns }) => turns[1]?.outcome === "complete");
    expect(model.requests.map(({ thinking }) => thinking)).toEqual(["high", undefined]);
    expect(log.config).not.toHaveProperty("thinking");
    expect(world.engine.defaults).not.toHaveProperty("thinking");
  });

  test("a side question has no tools, also where it calls one", async () => {
    const model = new ScriptedModel(({ messages }) => () => (messages.at(-1)?.text === "btw?" ? callTools(["fs_read", { path: "a" }]) : say("ok")));
    const world = new FakeWorld(model, new FakeHost().add(readTool));
    const session = await world.engine.startSession("go", { thinking: "high" });
    await world.ended(session);
    const side = await world.engine.children.side(session, "btw?");
    const log = await world.ended(side);
    expect(resultCode(callsOf(log)[0]?.result?.structured)).toBe("not_found");
    expect(world.host.requests).toEqual([]);
    expect(model.requests.at(-1)?.thinking).toBe("high");
  });

  test("those that come with it are sound, ask-only and review change nothing, and one's own may replace them", async () => {
    for (const profile of BUILT_IN_PROFILES) expect(readProfile(profile)).toEqual(profile);
    expect(withProfile({ workspace: "app", model: "m", mode: "accept_edits" }, BUILT_IN_PROFILES[1] ?? poet)).toMatchObject({ workspace: "app", model: "m", mode: "plan" });
    const world = new FakeWorld(new ScriptedModel(() => () => say("ok")), new FakeHost());
    await world.engine.profiles.save({ ...poet, id: "write" });
    expect((await world.engine.profiles.list()).map(({ id, builtIn }) => [id, builtIn])).toEqual([["ask", true], ["review", true], ["write", false]]);
    for (const wrong of [null, {}, { id: "x", name: "" }, { ...poet, mode: "yolo" }, { ...poet, limits: { steps: -1 } }]) {
      await expect(world.engine.profiles.save(wrong)).rejects.toMatchObject({ fault: { code: "bad_profile" } });
    }
  });
});

test("row 6: the inspector shows each part of the next prompt with its origin and its tokens, and together they are the prompt", async () => {
  const model = new ScriptedModel(() => () => say("ok"));
  const world = new FakeWorld(model, new FakeHost().add(readTool));
  await world.engine.profiles.save({ id: "poet", name: "Poet", instructions: "Answer in verse." });
  await world.engine.selectProfile(null, "poet");
  const session = await world.engine.startSession("sing");
  await world.ended(session);
  const parts = await world.engine.inspectPrompt(session);
  const of = (kind: string) => parts.filter(({ source }) => source.startsWith(kind));
  expect(of("system:").map(({ source }) => source)).toEqual(["system:outrigger", "system:workspace", "system:outrigger", "system:mode", "system:hook:date", "system:profile"]);
  expect(of("system:").map(({ text }) => text).join("\n")).toBe(model.requests[0]?.system);
  expect(of("tool:").map(({ source }) => source.slice(5))).toEqual(model.requests[0]?.tools.map(({ name }) => name));
  expect(of("message:").map(({ source, text }) => [source, text])).toEqual([["message:user", "sing"], ["message:assistant", "ok"]]);
  expect(parts.reduce((sum, { tokens }) => sum + tokens, 0)).toBeGreaterThan(0);
});
