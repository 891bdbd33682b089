// Rows 4, 5, 8: hooks, each a function of the log; what a step comes to: going on with a word, the person, or another profile.
import { describe, expect, test } from "vitest";
import { HOOKS } from "../agent/hooks/catalog.ts";
import { repeats } from "../agent/hooks/cut-repetition.ts";
import type { ModelPart, PromptMessage } from "../llm/model.ts";
import { UNKNOWN_FACTS } from "../llm/model-facts.ts";
import { FakeHost } from "../testing/fake-host.ts";
import { FakeWorld } from "../testing/fake-world.ts";
import { callTools, say, ScriptedModel, type ScriptStep } from "../testing/scripted-model.ts";
import { allowAll, editTool, execTool, readTool } from "../testing/session-log.ts";

function worldOf(...steps: readonly ScriptStep[]) {
  const model = ScriptedModel.steps(...steps);
  return { model, world: new FakeWorld(model, new FakeHost().add(readTool, editTool, execTool)) };
}

const saidByHooks = (messages: readonly PromptMessage[] | undefined) => (messages ?? []).flatMap((message) => (message.role === "user" && message.text.startsWith("[From Outrigger") ? [message.text.split("\n").slice(1).join("\n")] : []));

describe("rows 4, 5: hooks", () => {
  test("prompt parts: those that are on are in the prompt, under their own name, and a profile switches them off", async () => {
    const { world, model } = worldOf(() => say("one"), () => say("two"));
    const session = await world.engine.startSession("x");
    await world.ended(session);
    expect(model.requests[0]?.system).toMatch(/Today is \d{4}-\d\d-\d\d\./);
    await world.engine.profiles.save({ id: "bare", name: "Bare", hooks: [] });
    await world.engine.selectProfile(session, "bare");
    await world.engine.sendMessage(session, "y");
    await world.until(session, (log) => log.turns[1]?.outcome === "complete");
    expect(model.requests[1]?.system).not.toContain("Today is");
  });

  test("message received: a page brings a word of caution, once, after the message", async () => {
    const { world, model } = worldOf(() => callTools(["fs_read", { path: "a" }]), () => say("ok"));
    const page = await world.engine.attach(null, { kind: "page", name: "P", mediaType: "text/plain", source: "https://blog.example/p", text: "hello" });
    const session = await world.engine.startSession("what is it?", {}, [page.id]);
    await world.ended(session);
    expect(saidByHooks(model.requests[1]?.messages)).toEqual([expect.stringContaining("blog.example was written by strangers")]);
    expect((await world.log(session)).turns[0]?.notes.map(({ hook, afterSteps }) => [hook, afterSteps])).toEqual([["page_caution", 0]]);
  });

  test("tool done: the second same failure is told before the third, and another call is not", async () => {
    const failing = { ...readTool, run: () => ({ text: "not_found: no such file", isError: true, code: "not_found" }) };
    const model = ScriptedModel.steps(() => callTools(["fs_read", { path: "a" }]), () => callTools(["fs_read", { path: "b" }]), () => callTools(["fs_read", { path: "a" }]), () => say("ok"));
    const world = new FakeWorld(model, new FakeHost().add(failing));
    const session = await world.engine.startSession("x");
    await world.ended(session);
    expect(saidByHooks(model.requests[2]?.messages)).toEqual([]);
    expect(saidByHooks(model.requests[3]?.messages)).toEqual([expect.stringContaining("failed twice")]);
  });

  test("status: a cap that comes near is told once", async () => {
    const { world, model } = worldOf(...Array.from({ length: 5 }, (_, place) => () => callTools(["fs_read", { path: `f${place}` }])));
    const session = await world.engine.startSession("x", { limits: { steps: 5 } });
    await world.until(session, (log) => log.turns[0]?.paused !== null);
    expect(model.requests.map(({ messages }) => saidByHooks(messages).length)).toEqual([0, 0, 0, 0, 1]);
  });

  test("response delta: an answer that goes round in circles is ended, and Retry goes on", async () => {
    async function* circles(): AsyncIterable<ModelPart> {
      for (let count = 0; count < 200; count += 1) yield { type: "text", text: "I will now look at the next file again.\n" };
      yield { type: "finish", reason: "stop", usage: null, providerData: null };
    }
    let asked = 0;
    const world = new FakeWorld(new ScriptedModel(() => () => ((asked += 1) === 1 ? circles() : say("ok"))), new FakeHost());
    const session = await world.engine.startSession("x");
    const log = await world.ended(session);
    expect(log.turns[0]).toMatchObject({ outcome: "failed", fault: { code: "answer_ended", retryable: false } });
    expect(log.turns[0]?.steps[0]?.text.length).toBeLessThan(2_000);
    await world.engine.resume(session);
    expect((await world.until(session, (each) => each.turns[0]?.outcome === "complete")).turns[0]?.steps.at(-1)?.text).toBe("ok");
  });

  test.each([
    ["| a | b |\n".repeat(40), false],
    [`${"-".repeat(2_000)}`, false],
    [Array.from({ length: 60 }, (_, place) => `${place}. an item of a long list of things`).join("\n"), false],
    ["the same sentence once more and again. ".repeat(12), true],
    [`${"some beginning ".repeat(3)}${"and now the very same thing, ".repeat(13)}`, true],
  ])("what repeats and what does not: %#", (text, expected) => {
    expect(repeats(text)).toBe(expected);
  });

  test("row 8: response complete: the model goes on with a hook's word, once, then the person has it", async () => {
    const { world, model } = worldOf(() => callTools(["todo", { items: [{ text: "test it", status: "pending" }] }]), () => say("done?"), () => say("really done"));
    await world.engine.profiles.save({ id: "careful", name: "Careful", hooks: ["finish_todos"] });
    await world.engine.selectProfile(null, "careful");
    const session = await world.engine.startSession("x");
    const log = await world.ended(session);
    expect(log.turns[0]).toMatchObject({ outcome: "complete", notes: [{ hook: "finish_todos" }] });
    expect(log.turns[0]?.steps.map(({ text }) => text)).toEqual(["Let me see.", "done?", "really done"]);
    expect(saidByHooks(model.requests[2]?.messages)[0]).toContain("[ ] test it");
  });

  test("changes that nothing was run after", async () => {
    const { world, model } = worldOf(() => callTools(["fs_edit", { path: "a" }]), () => say("changed"), () => callTools(["exec_run", { command: "test" }]), () => say("tested"));
    await world.engine.profiles.save({ id: "careful", name: "Careful", hooks: ["verify_changes"] });
    await world.engine.selectProfile(null, "careful");
    const session = await world.engine.startSession("x");
    const log = await allowAll(world, session);
    expect(log.turns[0]?.steps.at(-1)?.text).toBe("tested");
    expect(saidByHooks(model.requests.at(-1)?.messages)).toHaveLength(1);
  });

  test("each is told of, and none has two names", () => {
    expect(new Set(HOOKS.map(({ id }) => id)).size).toBe(HOOKS.length);
    for (const { summary } of HOOKS) expect(summary).toMatch(/\.$/);
  });
});

/** The card that waits now. */
async function allowOne(world: FakeWorld, session: string): Promise<void> {
  const waiting = (await world.log(session)).turns.at(-1)?.steps.at(-1)?.calls.find(({ state }) => state === "asked");
  const { id = "", digest = "" } = waiting?.asked?.plan ?? {};
  await world.engine.answers.approval(session, [{ call: waiting?.id ?? "", plan: id, digest, decision: "allow" }]);
}

describe("rows 8, 32, 37: profiles from inside", () => {
  const edit = { id: "poet", instructions: "Answer in verse." };

  test("edit_profile shows the difference and asks, whatever is allowed; then it is saved", async () => {
    const { world } = worldOf(() => callTools(["edit_profile", edit]), () => say("ok"));
    await world.engine.profiles.save({ id: "poet", name: "Poet", instructions: "Answer in prose." });
    await world.engine.grants.addRule(null, { effect: "allow", scope: "always", target: { tool: "*" } });
    const session = await world.engine.startSession("x", { mode: "accept_edits" });
    const log = await world.until(session, (each) => each.turns[0]?.steps[0]?.calls[0]?.state === "asked");
    const preview = log.turns[0]?.steps[0]?.calls[0]?.asked?.plan.preview;
    expect(preview).toMatchObject({ kind: "files", files: [{ path: "profile Poet", op: "edit", added: 1, removed: 1 }] });
    expect(preview?.kind === "files" && preview.files[0]?.hunks[0]?.lines).toEqual([" id: poet", " name: Poet", " tools: all", " instructions:", "-Answer in prose.", "+Answer in verse."]);
    await allowAll(world, session);
    expect(await world.engine.profiles.find("poet")).toMatchObject({ name: "Poet", instructions: "Answer in verse." });
  });

  test("a profile's model and caps are changed by it too, and its card shows them by their names", async () => {
    const caps = { id: "poet", model: "Cheap one", max_steps: 8, max_cost_usd: 0.5, max_minutes: null };
    const { world } = worldOf(() => callTools(["edit_profile", caps]), () => callTools(["edit_profile", { id: "poet", model: null, max_steps: null }]), () => say("ok"));
    world.models.set("01MODEL", new ScriptedModel(() => () => say("ok"), "Cheap one"));
    await world.engine.profiles.save({ id: "poet", name: "Poet", limits: { costUsd: 2, minutes: 30 } });
    const session = await world.engine.startSession("x");
    const log = await world.until(session, (each) => each.turns[0]?.steps[0]?.calls[0]?.state === "asked");
    const preview = log.turns[0]?.steps[0]?.calls[0]?.asked?.plan.preview;
    expect(preview?.kind === "files" && preview.files[0]?.hunks[0]?.lines).toEqual([
      " id: poet",
      " name: Poet",
      "-cost of a turn: at most $2",
      "-time of a turn: at most 30 minutes",
      "+model: Cheap one",
      "+steps of a turn: at most 8",
      "+cost of a turn: at most $0.5",
      " tools: all",
    ]);
    await allowOne(world, session);
    await world.until(session, (each) => each.turns[0]?.steps[1]?.calls[0]?.state === "asked");
    expect(await world.engine.profiles.find("poet")).toEqual({ id: "poet", name: "Poet", model: "01MODEL", limits: { steps: 8, costUsd: 0.5 } });
    await allowAll(world, session);
    expect(await world.engine.profiles.find("poet")).toEqual({ id: "poet", name: "Poet", limits: { costUsd: 0.5 } });
  });

  test("of a model that there is not nobody is asked; nor is another one saved that has its name by then", async () => {
    const { world } = worldOf(() => callTools(["edit_profile", { id: "poet", model: "Dear one" }]), () => callTools(["edit_profile", { id: "poet", model: "Cheap one" }]), () => say("ok"));
    world.models.set("01MODEL", new ScriptedModel(() => () => say("ok"), "Cheap one"));
    const session = await world.engine.startSession("x");
    const log = await world.until(session, (each) => each.turns[0]?.steps[1]?.calls[0]?.state === "asked");
    expect(log.turns[0]?.steps[0]?.calls[0]?.result?.text).toMatch(/^not_found: there is no model `Dear one`[^]*Cheap one/);
    world.models.clear();
    world.models.set("01OTHER", new ScriptedModel(() => () => say("ok"), "Cheap one"));
    await allowOne(world, session);
    const done = await world.ended(session);
    expect(done.turns[0]?.steps[1]?.calls[0]?.result?.text).toMatch(/^stale:/);
    await expect(world.engine.profiles.find("poet")).rejects.toMatchObject({ fault: { code: "no_profile" } });
  });

  test("denied, nothing is saved; changed meanwhile, it is asked about anew", async () => {
    const { world } = worldOf(() => callTools(["edit_profile", edit]), () => say("ok"));
    const session = await world.engine.startSession("x");
    const log = await world.until(session, (each) => each.turns[0]?.steps[0]?.calls[0]?.state === "asked");
    await world.engine.profiles.save({ id: "poet", name: "Other", instructions: "Of the person." });
    const call = log.turns[0]?.steps[0]?.calls[0];
    await world.engine.answers.approval(session, [{ call: call?.id ?? "", plan: call?.asked?.plan.id ?? "", digest: call?.asked?.plan.digest ?? "", decision: "allow" }]);
    const done = await world.ended(session);
    expect(done.turns[0]?.steps[0]?.calls[0]?.result?.text).toMatch(/^stale:/);
    expect(await world.engine.profiles.find("poet")).toMatchObject({ name: "Other" });
  });

  test("hand_over lets another profile go on, in the same turn, after a card", async () => {
    const { world, model } = worldOf(() => callTools(["hand_over", { profile: "review", why: "it is time to look" }]), () => say("reviewed"));
    const session = await world.engine.startSession("x", { tools: ["fs_read", "fs_edit", "hand_over"] });
    const log = await allowAll(world, session);
    expect(log.config).toMatchObject({ profile: "review", mode: "plan" });
    expect(log.turns[0]).toMatchObject({ outcome: "complete", config: { profile: "review", mode: "plan" } });
    expect(model.requests[0]?.tools.map(({ name }) => name)).toContain("hand_over");
    expect(model.requests[1]?.system).toContain("Review what was changed");
    expect(model.requests[1]?.tools.map(({ name }) => name)).not.toContain("fs_edit");
  });

  test("who is handed to is asked with what its own model holds, from that moment on", async () => {
    const { world } = worldOf(() => callTools(["hand_over", { profile: "small", why: "it is cheap" }]), () => say("gone on"));
    world.models.set("01SMALL", new ScriptedModel(() => () => say("gone on"), "Small one"));
    world.factsOf.set("demo", { ...UNKNOWN_FACTS, window: 200_000, output: 32_000 });
    world.factsOf.set("01SMALL", { ...UNKNOWN_FACTS, window: 8_000, output: 1_000 });
    await world.engine.profiles.save({ id: "small", name: "Small", model: "01SMALL" });
    const session = await world.engine.startSession("x", { tools: ["hand_over"] });
    const log = await allowAll(world, session);
    expect(log.turns[0]).toMatchObject({ outcome: "complete", modelLabel: "Small one", limits: { window: 8_000, output: 1_000 } });
  });

  test("a profile that the agent saved is told of, as one of the person's", async () => {
    const { world } = worldOf(() => callTools(["edit_profile", edit]), () => say("ok"));
    let told = 0;
    world.onProfiles = () => (told += 1);
    await allowAll(world, await world.engine.startSession("x"));
    expect(told).toBe(1);
    await world.engine.saveProfile({ id: "painter", name: "Painter" });
    await world.engine.removeProfile("painter");
    expect(told).toBe(3);
    await world.engine.deleteAll(true);
    expect(told).toBe(4);
  });

  test("a sub-agent can do neither", async () => {
    const { world } = worldOf(() => callTools(["edit_profile", edit]), () => say("ok"));
    await world.engine.children.ensure({ session: "child", origin: { kind: "subagent", session: "p", by: "c" }, task: "x", config: world.engine.defaults });
    const log = await world.ended("child");
    expect(log.turns[0]?.steps[0]?.calls[0]?.result?.text).toMatch(/^not_found:/);
  });
});
