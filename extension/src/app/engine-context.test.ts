// Rows 16, 58, 68 (ancestor fault 16; wishes 8, 14): compaction, cost and traces in a running engine.
import { viewSession } from "../agent/projection.ts";
import { estimatePrompt, correction } from "../agent/meter.ts";
import { foldEvents } from "../agent/fold.ts";
import { TAKES_UNKNOWN, UNKNOWN_FACTS } from "../llm/model-facts.ts";
import { describe, expect, test } from "vitest";
import { FakeHost } from "../testing/fake-host.ts";
import { drill, faultsOf, rehearse, type Scenario } from "../testing/drill.ts";
import { FakeWorld } from "../testing/fake-world.ts";
import { callTools, say, ScriptedModel } from "../testing/scripted-model.ts";
import { allowAll, callsOf, editTool, readTool } from "../testing/session-log.ts";
import type { Trace } from "../agent/trace.ts";
import { ModelFault, type ModelPart, type ModelRequest } from "../llm/model.ts";
import { MemoryStorage } from "../storage/memory-storage.ts";
import { Traces } from "./traces.ts";

const big = { ...readTool, run: ({ path }: Record<string, unknown>) => ({ text: `${String(path)} ${"x".repeat(4_000)}` }) };
const isSummary = (request: ModelRequest) => request.system.startsWith("You summarise");
const reads = (request: ModelRequest) => request.messages.flatMap((message) => (message.role === "tool" ? [message.text.split(" ", 1)[0] ?? ""] : []));

/** Reads one file after the other; the summary says how far it is. */
function reader(count: number, summary: (request: ModelRequest) => string = (request) => `read up to ${reads(request).at(-1) ?? "?"}`): ScriptedModel {
  return new ScriptedModel((request) => () => {
    if (isSummary(request)) return say(summary(request));
    const told = /read up to (\d+)/.exec(request.messages[0]?.text ?? "")?.[1];
    const done = Number(reads(request).at(-1) ?? told ?? -1);
    return done + 1 < count ? callTools(["fs_read", { path: String(done + 1) }]) : say("all read");
  });
}

async function twoTurns(world: FakeWorld): Promise<string> {
  const session = await world.engine.startSession("one");
  await world.ended(session);
  await world.engine.sendMessage(session, "two");
  await world.until(session, ({ turns }) => turns[1]?.outcome === "complete");
  return session;
}

describe("row 23: the estimate is corrected by model", () => {
  /** A provider that counts three tokens where we estimate one. */
  const counting = () => new ScriptedModel((request) => {
    const { system, tools, messages } = estimatePrompt(request.system, request.tools, request.messages);
    const usage = { inputTokens: (system + tools + messages) * 3, outputTokens: 1, cachedInputTokens: null, reasoningTokens: null };
    return () => [{ type: "text", text: "ok" }, { type: "finish", reason: "stop", usage, providerData: null }];
  });
  const named = (name: string) => ({ ...UNKNOWN_FACTS, name });

  test("a new session begins with what another one found of its model, also after a restart and under another name of it", async () => {
    const storage = new MemoryStorage();
    const first = new FakeWorld(counting(), new FakeHost(), storage);
    first.facts = named("qwen3:8b");
    const found = await first.ended(await first.engine.startSession("one"));
    expect(found.turns[0]?.limits.tokenFactor).toBeUndefined();
    expect(correction(found)).toBeCloseTo(3, 1);
    await expect.poll(() => storage.readSetting("token_counts")).toMatchObject([{ model: "qwen3:8b" }]);
    first.die();

    const world = new FakeWorld(counting(), new FakeHost(), storage);
    world.facts = named("other");
    world.factsOf.set("01B", named("qwen3:8b"));
    await world.engine.start();
    const known = await world.ended(await world.engine.startSession("two", { model: "01B" }));
    expect(known.turns[0]?.limits.tokenFactor).toBeCloseTo(3, 1);
    // Before its provider has counted anything here.
    const began = foldEvents(known.session, (await storage.readEvents(known.session, 0)).filter(({ event }) => event.type === "SessionStarted" || event.type === "UserMessage" || event.type === "TurnStart"));
    expect(correction(began)).toBeCloseTo(3, 1);
    const other = await world.ended(await world.engine.startSession("three"));
    expect(other.turns[0]?.limits.tokenFactor).toBeUndefined();
    world.die();
  });

  test("what was stored wrong is as if nothing was known, and all data deleted, nothing is", async () => {
    const storage = new MemoryStorage();
    await storage.saveSetting("token_counts", [null, 7, { model: "a", ours: 0, theirs: 5 }, { model: "b", ours: "x", theirs: 5 }, { model: "c", ours: 10, theirs: 15 }]);
    const world = new FakeWorld(counting(), new FakeHost(), storage);
    await world.engine.start();
    for (const id of ["a", "b", "c"]) world.factsOf.set(id, named(id));
    expect(await Promise.all(["a", "b", "c"].map((id) => world.engine.tokenFactor(id)))).toEqual([null, null, 1.5]);
    await world.engine.deleteAll(true);
    expect(await world.engine.tokenFactor("c")).toBeNull();
    world.die();
  });
});

describe("row 68: compaction", () => {
  test("makes room by itself at 85 %, each file is read once, and the panel sees what it saved", async () => {
    const model = reader(8);
    const world = new FakeWorld(model, new FakeHost().add(big));
    world.facts = { window: 5_000, output: null, price: null, takes: TAKES_UNKNOWN };
    const session = await world.engine.startSession("read all");
    const log = await world.ended(session);
    expect(log.turns[0]?.outcome).toBe("complete");
    expect(callsOf(log).map((call) => call.args?.["path"])).toEqual(["0", "1", "2", "3", "4", "5", "6", "7"]);
    expect(log.compactions.length).toBeGreaterThanOrEqual(1);
    for (const each of log.compactions) expect(each.tokensAfter).toBeLessThan(each.tokensBefore);
    for (const request of model.requests.filter((each) => !isSummary(each))) expect(request.messages.reduce((sum, { text }) => sum + text.length / 4, 0)).toBeLessThan(5_000);
  });

  test("by hand, when nothing runs; undone, the whole conversation is there again", async () => {
    const model = new ScriptedModel((request) => () => (isSummary(request) ? say("short") : say(`long ${"y".repeat(2_000)}`)));
    const world = new FakeWorld(model, new FakeHost());
    const session = await world.engine.startSession("one");
    await world.ended(session);
    for (const text of ["two", "three"]) {
      await world.engine.sendMessage(session, text);
      await world.until(session, ({ turns }) => turns.at(-1)?.text === text && turns.at(-1)?.outcome === "complete");
    }
    await world.engine.compact(session);
    const log = await world.until(session, ({ compactions }) => compactions.length === 1);
    expect(log.compactions[0]).toMatchObject({ by: "user", summary: "short", failed: false });
    await world.engine.sendMessage(session, "four");
    await world.until(session, ({ turns }) => turns[3]?.outcome === "complete");
    expect(model.requests.at(-1)?.messages[0]?.text).toContain("short");
    await world.engine.undoCompaction(session, log.compactions[0]?.id ?? "");
    await world.engine.sendMessage(session, "five");
    await world.until(session, ({ turns }) => turns[4]?.outcome === "complete");
    expect(model.requests.at(-1)?.messages.map(({ text }) => text.slice(0, 5))).toEqual(["one", "long ", "two", "long ", "three", "long ", "four", "long ", "five"]);
  });

  test("wish 8: it cannot loop; what does not help is tried twice and then asked about, and Continue goes on without", async () => {
    const model = reader(12, (request) => `read up to ${reads(request).at(-1) ?? "?"} ${"z".repeat(16_000)}`);
    const world = new FakeWorld(model, new FakeHost().add(big));
    world.facts = { window: 4_600, output: null, price: null, takes: TAKES_UNKNOWN };
    const session = await world.engine.startSession("read all");
    const log = await world.until(session, ({ turns }) => turns[0]?.paused?.reason === "context_full");
    expect(log.compactions.length).toBeLessThanOrEqual(3);
    const made = log.compactions.length;
    await world.engine.resume(session);
    const done = await world.ended(session);
    expect(done.turns[0]?.outcome).toBe("complete");
    expect(done.compactions).toHaveLength(made);
  });

  test("a summary that fails leaves everything as it was", async () => {
    const model = new ScriptedModel((request) => () => {
      if (isSummary(request)) throw new ModelFault({ code: "overloaded", message: "no", hint: null, retryable: true });
      return say(`long ${"y".repeat(4_000)}`);
    });
    const world = new FakeWorld(model, new FakeHost());
    const session = await world.engine.startSession("one");
    await world.ended(session);
    await world.engine.sendMessage(session, "two");
    await world.until(session, ({ turns }) => turns[1]?.outcome === "complete");
    await world.engine.compact(session);
    const log = await world.until(session, ({ compactions }) => compactions.length === 1);
    expect(log.compactions[0]?.failed).toBe(true);
    expect(log.turns.map(({ outcome }) => outcome)).toEqual(["complete", "complete"]);
  });

  test.each([
    ["a 429 with a wait", () => { throw new ModelFault({ code: "rate_limited", message: "slow down", hint: null, retryable: true }, 5); }, 1],
    ["a 529", () => { throw new ModelFault({ code: "overloaded", message: "overloaded", hint: null, retryable: true }); }, 1],
    ["a stream that is cut", () => [{ type: "text" as const, text: "half" }], 2],
  ])("its request is retried as a step's: %s; each leaves a trace", async (_name, fault, times) => {
    let refused = 0;
    const model = new ScriptedModel((request) => () => {
      if (!isSummary(request)) return say(`long ${"y".repeat(4_000)}`);
      refused += 1;
      return refused <= times ? fault() : say("short");
    });
    const world = new FakeWorld(model, new FakeHost());
    const session = await twoTurns(world);
    await world.engine.compact(session);
    const log = await world.until(session, ({ compactions }) => compactions.length === 1);
    expect(log.compactions[0]).toMatchObject({ failed: false, summary: "short" });
    expect(world.traces.slice(2).map(({ step, outcome }) => [step, outcome])).toEqual([...Array.from({ length: times }, () => [log.compactions[0]?.id, "failed"]), [log.compactions[0]?.id, "answered"]]);
  });

  test("what had begun to answer is asked for twice more and not again, also where room is needed: the turn asks, and says why", async () => {
    let asked = 0;
    const model = new ScriptedModel((request) => () => {
      if (isSummary(request)) return (asked += 1, [{ type: "text", text: "half" }]);
      return callTools(["fs_read", { path: String(request.messages.length) }]);
    });
    const world = new FakeWorld(model, new FakeHost().add(big));
    world.facts = { window: 5_000, output: null, price: null, takes: TAKES_UNKNOWN };
    const session = await world.engine.startSession("read all");
    const log = await world.until(session, ({ turns }) => turns[0]?.paused !== null);
    expect(log.turns[0]?.paused).toMatchObject({ reason: "context_full", message: expect.stringContaining("ended before it was whole") });
    expect(asked).toBe(3);
  });

  test("a wait for it is in sight, with when and why, and Retry now ends it without resuming a turn that was stopped", async () => {
    let refused = 0;
    const model = new ScriptedModel((request) => async function* () {
      const last = request.messages.at(-1);
      if (isSummary(request) && (refused += 1) === 1) throw new ModelFault({ code: "rate_limited", message: "slow down", hint: null, retryable: true }, 30 * 60_000);
      if (last?.role === "user" && last.text === "three") await new Promise(() => {});
      yield* say(isSummary(request) ? "short" : `long ${"y".repeat(4_000)}`);
    });
    const world = new FakeWorld(model, new FakeHost());
    const session = await twoTurns(world);
    await world.engine.sendMessage(session, "three");
    await world.until(session, ({ turns }) => turns[2]?.steps[0]?.state === "streaming");
    await world.engine.stop(session);
    await world.until(session, ({ turns }) => turns[2]?.outcome === "cancelled");
    await world.engine.compact(session);
    const waits = await world.until(session, ({ compactRetry }) => compactRetry !== null);
    expect(waits.compactRetry).toMatchObject({ attempt: 1, fault: { code: "rate_limited" } });
    expect((waits.compactRetry?.at ?? 0) - Date.now()).toBeGreaterThan(40_000);
    expect(viewSession(waits).compactRetry).toEqual(waits.compactRetry);
    await world.engine.resume(session);
    const log = await world.until(session, ({ compactions }) => compactions.length === 1);
    expect(log.compactions[0]).toMatchObject({ failed: false, summary: "short" });
    expect(log).toMatchObject({ compactRetry: null, turns: [{ outcome: "complete" }, { outcome: "complete" }, { outcome: "cancelled" }] });
  });

  test("a wait for it ends with Stop", async () => {
    const model = new ScriptedModel((request) => () => {
      if (isSummary(request)) throw new ModelFault({ code: "rate_limited", message: "slow down", hint: null, retryable: true }, 60_000);
      return say(`long ${"y".repeat(4_000)}`);
    });
    const world = new FakeWorld(model, new FakeHost());
    const session = await twoTurns(world);
    await world.engine.compact(session);
    await world.until(session, () => world.traces.length === 3);
    await world.engine.stop(session);
    const log = await world.until(session, ({ compactRequested }) => compactRequested === null);
    expect(log.compactions[0]?.failed).toBe(true);
    expect(model.requests.filter(isSummary)).toHaveLength(1);
  });

  test("it counts against the cost cap, and in the usage of session and day, also where it was of no use", async () => {
    let useless = true;
    const model = new ScriptedModel((request) => () => {
      if (isSummary(request)) return say(useless ? "" : "short");
      return say(`long ${"y".repeat(4_000)}`);
    });
    const world = new FakeWorld(model, new FakeHost());
    world.facts = { window: null, output: null, price: () => 1, takes: TAKES_UNKNOWN };
    const session = await twoTurns(world);
    await world.engine.compact(session);
    await world.until(session, ({ compactions }) => compactions.length === 1);
    useless = false;
    await world.engine.compact(session);
    const log = await world.until(session, ({ compactions }) => compactions.length === 2);
    const view = viewSession(log);
    expect([view.usage.inputTokens, view.turns.at(-1)?.costUsd]).toEqual([40, 3]);
    expect(await world.storage.listUsage("")).toMatchObject([{ requests: 4, inputTokens: 40, costUsd: 4 }]);
  });

  test("a summary that takes the turn over its cost cap pauses it", async () => {
    const world = new FakeWorld(reader(8), new FakeHost().add(big));
    world.facts = { window: 5_000, output: null, price: (usage) => (usage === null ? 0 : 3), takes: TAKES_UNKNOWN };
    const session = await world.engine.startSession("read all", { limits: { costUsd: 2 } });
    const log = await world.until(session, ({ turns }) => turns[0]?.paused !== null || turns[0]?.outcome !== null);
    expect(log.turns[0]?.paused).toMatchObject({ reason: "cost_cap", message: expect.stringContaining("$3.00") });
    expect(log.compactions).toHaveLength(1);
  });

  test("rows 51, 52: the engine dies at each event of a session that compacts: lost 0, doubled 0, orphans 0", async () => {
    const scenario: Scenario = {
      task: "read and edit",
      isSameTalk: false,
      facts: { window: 5_000, output: null, price: null, takes: TAKES_UNKNOWN },
      host: () => new FakeHost().add(big, editTool),
      model: () =>
        new ScriptedModel((request) => () => {
          if (isSummary(request)) return say(`read up to ${reads(request).at(-1) ?? "?"}`);
          const told = /read up to (\d+)/.exec(request.messages[0]?.text ?? "")?.[1];
          const last = request.messages.at(-1);
          if (last?.role === "tool" && last.tool === "fs_edit") return say("done");
          const done = Number(reads(request).findLast((text) => /^\d+$/.test(text)) ?? told ?? -1);
          return done < 5 ? callTools(["fs_read", { path: String(done + 1) }]) : callTools(["fs_edit", { path: "a" }]);
        }),
      finish: allowAll,
    };
    const whole = await rehearse(scenario);
    expect(faultsOf(whole)).toEqual([]);
    expect(whole.log.compactions.length).toBeGreaterThan(0);
    for (let first = 1; first <= whole.events.length; first += 12) {
      const places = Array.from({ length: Math.min(12, whole.events.length - first + 1) }, (_, place) => first + place);
      await Promise.all(
        places.flatMap((at) =>
          (["after", "before"] as const).map(async (death) => {
            const done = await drill(scenario, at, death);
            expect(faultsOf(done), `${death} event ${at}: ${whole.events[at - 1]?.event.type}`).toEqual([]);
          }),
        ),
      );
    }
  });
});

describe("row 58: what a step cost, in money and in time", () => {
  test("the price of the moment is in the log; an unknown one is not 0", async () => {
    const world = new FakeWorld(ScriptedModel.steps(() => say("hello")), new FakeHost());
    world.facts = { window: null, output: null, price: (usage) => (usage?.inputTokens ?? 0) * 0.01, takes: TAKES_UNKNOWN };
    expect((await world.ended(await world.engine.startSession("one"))).turns[0]?.steps[0]?.costUsd).toBeCloseTo(0.1, 10);
    world.facts = { window: null, output: null, price: null, takes: TAKES_UNKNOWN };
    expect((await world.ended(await world.engine.startSession("two"))).turns[0]?.steps[0]?.costUsd).toBeNull();
  });

  test("a cost cap pauses", async () => {
    const world = new FakeWorld(
      new ScriptedModel(({ messages }) => () => [...callTools(["fs_read", { path: String(messages.length) }]).slice(0, -1), { type: "finish" as const, reason: "tool_calls" as const, usage: { inputTokens: 10, outputTokens: 1, cachedInputTokens: null, reasoningTokens: null }, providerData: null }]),
      new FakeHost().add(readTool),
    );
    world.facts = { window: null, output: null, price: () => 0.3, takes: TAKES_UNKNOWN };
    const session = await world.engine.startSession("go", { limits: { costUsd: 1 } });
    const log = await world.until(session, ({ turns }) => turns[0]?.paused?.reason === "cost_cap");
    expect(log.turns[0]?.steps).toHaveLength(4);
    await world.engine.stop(session);
  });

  test("each request leaves a trace, also one that failed and one that was stopped, without a word of what was said", async () => {
    let count = 0;
    const model = new ScriptedModel(() => async function* ({ signal }) {
      count += 1;
      if (count === 1) {
        yield { type: "accepted", requestId: "req_1" };
        yield* say("secret words");
        return;
      }
      if (count === 2) throw new ModelFault({ code: "key_refused", message: "no", hint: null, retryable: false });
      await new Promise((resolve) => {
        signal.addEventListener("abort", resolve);
      });
    });
    const world = new FakeWorld(model, new FakeHost());
    await world.ended(await world.engine.startSession("secret task"));
    await world.ended(await world.engine.startSession("two"));
    const third = await world.engine.startSession("three");
    await world.until(third, () => count === 3);
    await world.engine.stop(third);
    await world.ended(third);
    expect(world.traces.map(({ outcome, code, requestId, firstTokenMs }) => [outcome, code, requestId, firstTokenMs !== null])).toEqual([
      ["answered", null, "req_1", true],
      ["failed", "key_refused", null, false],
      ["cancelled", null, null, false],
    ]);
    expect(world.traces.every(({ hostMs = -1, queueMs }) => hostMs >= 0 && hostMs <= queueMs)).toBe(true);
    expect(JSON.stringify(world.traces)).not.toContain("secret");
  });

  test("one that the browser ended with the engine leaves a trace all the same, once", async () => {
    const storage = new MemoryStorage();
    const first = new FakeWorld(new ScriptedModel(() => async function* () {
      yield { type: "text" as const, text: "so far" };
      await new Promise(() => {});
    }), new FakeHost(), storage);
    const session = await first.engine.startSession("go");
    await first.until(session, ({ turns }) => turns[0]?.steps[0]?.text === "so far");
    const events = await storage.readEvents(session, 0);
    first.die();
    const again = await FakeWorld.restored(events, new ScriptedModel(() => () => say("done")));
    const log = await again.ended(session);
    const [cut, whole] = log.turns[0]?.steps ?? [];
    expect(again.traces.map(({ step, outcome, code }) => [step, outcome, code])).toEqual([[cut?.id, "failed", "interrupted"], [whole?.id, "answered", null]]);
    const traces = new Traces(storage);
    for (const trace of [{ ...again.traces[0], outcome: "cancelled", code: null }, ...again.traces, again.traces[0]]) traces.add(trace as Trace);
    expect(traces.list().map(({ outcome }) => outcome)).toEqual(["cancelled", "answered"]);
  });

  test("what is read from a cache and written to it is summed over the turn and the session; what is unknown stays so", async () => {
    const usage = (cacheWriteTokens?: number) => ({ inputTokens: 10, outputTokens: 1, cachedInputTokens: 4, reasoningTokens: null, ...(cacheWriteTokens === undefined ? {} : { cacheWriteTokens }) });
    let step = 0;
    const answer = (part: ModelPart): ModelPart => (part.type === "finish" ? { ...part, usage: usage([5, 7][step++]) } : part);
    const world = new FakeWorld(ScriptedModel.steps(() => callTools(["todo", { items: [] }]).map(answer), () => say("done").map(answer), () => say("and more").map(answer)), new FakeHost());
    const session = await world.engine.startSession("go");
    const view = viewSession(await world.ended(session));
    expect([view.turns[0]?.usage, view.usage].map((each) => [each?.inputTokens, each?.cachedInputTokens, each?.cacheWriteTokens])).toEqual([[20, 8, 12], [20, 8, 12]]);
    await world.engine.sendMessage(session, "more");
    expect(viewSession(await world.until(session, ({ turns }) => turns[1]?.outcome === "complete")).turns[1]?.usage.cacheWriteTokens).toBeNull();
  });

  test("the meter is that of the branch in sight, also where another one has the same shape", async () => {
    const world = new FakeWorld(new ScriptedModel(() => () => say("done")), new FakeHost());
    const session = await world.engine.startSession("a");
    const log = await world.ended(session);
    const short = viewSession(log).context.tokens;
    await world.engine.branches.edit(session, log.turns[0]?.id ?? "", "b".repeat(4_000));
    const long = viewSession(await world.until(session, ({ turns }) => turns[0]?.text.length === 4_000 && turns[0].outcome === "complete")).context.tokens;
    expect(long).toBeGreaterThan(short + 200);
    await world.engine.branches.select(session, "main");
    expect(viewSession(await world.log(session)).context.tokens).toBe(short);
  });
});
