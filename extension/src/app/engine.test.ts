// The engine against a host and a model that behave, misbehave, and die.
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { summarise } from "../agent/summary.ts";
import { MemoryStorage } from "../storage/memory-storage.ts";
import { ModelFault } from "../llm/model.ts";
import { decodeTool } from "../wire/decode.ts";
import { FakeHost, type FakeTool } from "../testing/fake-host.ts";
import { FakeWorld } from "../testing/fake-world.ts";
import { callTools, say, ScriptedModel } from "../testing/scripted-model.ts";
import { allowAll, answersFor, callsOf, editTool as edit, execTool as exec, readTool as read, waitingCalls } from "../testing/session-log.ts";

function hostWith(...tools: readonly FakeTool[]): FakeHost {
  return new FakeHost().add(...tools);
}

describe("a turn", () => {
  test("rows 2, 71: ends with the model's answer", async () => {
    const world = new FakeWorld(ScriptedModel.steps(() => say("hello")), hostWith(read));
    const log = await world.ended(await world.engine.startSession("hi"));
    expect(log.turns[0]?.outcome).toBe("complete");
    expect(log.turns[0]?.steps.map((step) => step.text)).toEqual(["hello"]);
  });

  test("row 18: reads run together, and one's failure loses no other", async () => {
    // None ends before all three have begun: one after the other, they would never end.
    let begun = 0;
    const { promise: allBegan, resolve: all } = Promise.withResolvers<void>();
    const slow: FakeTool = {
      ...read,
      run: async ({ path }) => {
        begun += 1;
        if (begun === 3) all();
        await allBegan;
        return path === "b" ? { text: "not_found: b", isError: true, code: "not_found" } : { text: String(path) };
      },
    };
    const model = ScriptedModel.steps(() => callTools(["fs_read", { path: "a" }], ["fs_read", { path: "b" }], ["fs_read", { path: "c" }]));
    const world = new FakeWorld(model, hostWith(slow));
    const log = await world.ended(await world.engine.startSession("read"));
    expect(begun).toBe(3);
    expect(callsOf(log).map((call) => call.result?.text)).toEqual(["a", "not_found: b", "c"]);
    expect(log.turns[0]?.outcome).toBe("complete");
  });

  test("row 18: each tool has its own time; what takes longer is told as that, and its neighbours are kept", async () => {
    const hanging: FakeTool = { ...read, name: "search_grep", run: () => new Promise(() => {}) };
    const model = ScriptedModel.steps(() => callTools(["search_grep", {}], ["fs_read", { path: "a" }]));
    const world = new FakeWorld(model, hostWith(read, hanging));
    const log = await world.ended(await world.engine.startSession("go", { limits: { toolTimeoutsMs: { search_grep: 60 } } }));
    expect(callsOf(log).map((call) => call.result?.structured)).toMatchObject([{ code: "timeout" }, { ok: true }]);
    expect(log.turns[0]?.outcome).toBe("complete");
    expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool"]);
  });

  test("row 10: a cap pauses, nothing is lost, and Continue goes on", async () => {
    const model = ScriptedModel.steps(...Array.from({ length: 3 }, (_, place) => () => callTools(["fs_read", { path: `${place}` }])));
    const world = new FakeWorld(model, hostWith(read));
    const session = await world.engine.startSession("go", { limits: { steps: 2 } });
    const paused = await world.until(session, ({ turns }) => turns[0]?.paused?.reason === "step_cap");
    expect(callsOf(paused).every((call) => call.result !== null)).toBe(true);
    await world.engine.resume(session);
    const log = await world.ended(session);
    expect(log.turns[0]?.outcome).toBe("complete");
    expect(callsOf(log)).toHaveLength(3);
  });

  test("row 12, ancestor fault 4: the prompt has each call's one result after the message that made it", async () => {
    const model = ScriptedModel.steps(() => callTools(["fs_read", { path: "a" }], ["fs_read", { path: "b" }]));
    const world = new FakeWorld(model, hostWith(read));
    await world.ended(await world.engine.startSession("read"));
    expect(model.requests[1]?.messages.map((message) => message.role)).toEqual(["user", "assistant", "tool", "tool"]);
  });

  test("row 16, ancestor faults 12, 13: arguments that are no JSON, and tools that are not there, are told to the model", async () => {
    const model = ScriptedModel.steps(() => callTools(["fs_read", "{path:"], ["nonsense", {}]));
    const world = new FakeWorld(model, hostWith(read));
    const log = await world.ended(await world.engine.startSession("go"));
    expect(callsOf(log).map((call) => call.result?.text.split(":")[0])).toEqual(["invalid_args", "not_found"]);
    expect(world.host.requests).toEqual([]);
  });

  test("row 10: the same failing call three times pauses, and Continue goes on", async () => {
    const failing: FakeTool = { ...read, run: () => ({ text: "not_found", isError: true, code: "not_found" }) };
    const model = ScriptedModel.steps(...Array.from({ length: 4 }, () => () => callTools(["fs_read", { path: "x" }])));
    const world = new FakeWorld(model, hostWith(failing));
    const session = await world.engine.startSession("go");
    const log = await world.until(session, ({ turns }) => turns[0]?.paused !== null && turns[0]?.paused !== undefined);
    expect(log.turns[0]?.paused?.reason).toBe("same_failure");
    expect(callsOf(log)).toHaveLength(3);
    await world.engine.resume(session);
    expect((await world.ended(session)).turns[0]?.outcome).toBe("complete");
  });

  test("row 12, ancestor fault 5: a second message is a second turn of the same conversation", async () => {
    const model = ScriptedModel.steps(() => say("one"), () => say("two"));
    const world = new FakeWorld(model, hostWith(read));
    const session = await world.engine.startSession("first");
    await world.ended(session);
    await world.engine.sendMessage(session, "second");
    await world.until(session, ({ turns }) => turns[1]?.outcome === "complete");
    expect(model.requests[1]?.messages.map((message) => (message.role === "tool" ? "" : message.text))).toEqual(["first", "one", "second"]);
  });
});

test("ancestor fault 3: one process of the host serves all calls, each with its session and its workspace", async () => {
  const world = new FakeWorld(ScriptedModel.steps(() => callTools(["fs_read", { path: "a" }]), () => callTools(["fs_read", { path: "b" }], ["fs_read", { path: "c" }])), hostWith(read));
  const session = await world.engine.startSession("read", { workspace: "app" });
  await world.ended(session);
  expect(world.host.starts).toBe(1);
  expect(world.host.requests).toHaveLength(3);
  for (const { params } of world.host.requests) expect(params["_meta"]).toMatchObject({ "dev.outrigger/session": session, "dev.outrigger/workspace": "app" });
});

test("row 73, ancestor fault 13: names, tiers and schemas come from the host; what carries no tier asks for each call", async () => {
  expect(decodeTool({ name: "new_tool", inputSchema: {} })).toMatchObject({ _meta: { "dev.outrigger/tier": "individual" }, annotations: { readOnlyHint: false } });
  const model = ScriptedModel.steps(() => callTools(["never_heard_of", {}]), () => say("ok"));
  const world = new FakeWorld(model, hostWith({ ...exec, name: "never_heard_of" }));
  const session = await world.engine.startSession("go");
  const log = await world.until(session, (each) => waitingCalls(each).length === 1);
  expect(waitingCalls(log)[0]?.asked?.plan.tier).toBe("individual");
  expect(model.requests[0]?.tools.map(({ name }) => name)).toContain("never_heard_of");
  await world.engine.stop(session);
});

describe("row 72, ancestor faults 8, 15: approvals", () => {
  test("a step's writes to different paths are asked for together, and run in order after the answer", async () => {
    const ran: string[] = [];
    const tool: FakeTool = { ...edit, run: ({ path }) => (ran.push(String(path)), { text: "ok" }) };
    const model = ScriptedModel.steps(() => callTools(["fs_edit", { path: "a" }], ["fs_edit", { path: "b" }], ["fs_edit", { path: "a" }]));
    const world = new FakeWorld(model, hostWith(tool));
    const session = await world.engine.startSession("edit");
    const asked = await world.until(session, (log) => waitingCalls(log).length === 2, "two cards");
    expect(callsOf(asked).map((call) => call.state)).toEqual(["asked", "asked", "requested"]);
    expect(ran).toEqual([]);
    await world.engine.answers.approval(session, answersFor(asked, "allow"));
    const third = await world.until(session, (log) => waitingCalls(log).length === 1, "the third card");
    expect(ran).toEqual(["a", "b"]);
    await world.engine.answers.approval(session, answersFor(third, "allow"));
    await world.ended(session);
    expect(ran).toEqual(["a", "b", "a"]);
  });

  test("a read waits for the write before it", async () => {
    const order: string[] = [];
    const model = ScriptedModel.steps(() => callTools(["fs_edit", { path: "a" }], ["fs_read", { path: "a" }]));
    const world = new FakeWorld(
      model,
      hostWith({ ...edit, run: () => (order.push("edit"), { text: "ok" }) }, { ...read, run: () => (order.push("read"), { text: "ok" }) }),
    );
    const session = await world.engine.startSession("edit");
    const asked = await world.until(session, (log) => waitingCalls(log).length === 1);
    expect(order).toEqual([]);
    await world.engine.answers.approval(session, answersFor(asked, "allow"));
    await world.ended(session);
    expect(order).toEqual(["edit", "read"]);
  });

  test("a denial with a note reaches the model and nothing runs", async () => {
    const model = ScriptedModel.steps(() => callTools(["exec_run", { command: "node_test" }]));
    const world = new FakeWorld(model, hostWith(exec));
    const session = await world.engine.startSession("run");
    const asked = await world.until(session, (log) => waitingCalls(log).length === 1);
    await world.engine.answers.approval(session, answersFor(asked, "deny", "not on a Friday"));
    const log = await world.ended(session);
    expect(callsOf(log)[0]?.result?.text).toBe("approval_denied: not on a Friday");
    expect(world.host.runs.size).toBe(0);
    const last = model.requests[1]?.messages.at(-1);
    expect(last?.role === "tool" && last.text).toContain("not on a Friday");
  });

  test("an answer to another plan than the one that waits is refused", async () => {
    const world = new FakeWorld(ScriptedModel.steps(() => callTools(["exec_run", {}])), hostWith(exec));
    const session = await world.engine.startSession("run");
    const asked = await world.until(session, (log) => waitingCalls(log).length === 1);
    const answers = answersFor(asked, "allow").map((each) => ({ ...each, digest: "sha256:other" }));
    await expect(world.engine.answers.approval(session, answers)).rejects.toMatchObject({ fault: { code: "plan_changed" } });
    expect(world.host.runs.size).toBe(0);
  });

  test("what changed since it was approved is asked again", async () => {
    const world = new FakeWorld(ScriptedModel.steps(() => callTools(["exec_run", {}])), hostWith(exec));
    const session = await world.engine.startSession("run");
    const asked = await world.until(session, (log) => waitingCalls(log).length === 1);
    world.host.salt = "changed";
    await world.engine.answers.approval(session, answersFor(asked, "allow"));
    const again = await world.until(session, (log) => waitingCalls(log)[0]?.asked?.plan.reasons[0]?.startsWith("approval_stale") === true, "a fresh card");
    expect(world.host.runs.size).toBe(0);
    await world.engine.answers.approval(session, answersFor(again, "allow"));
    await world.ended(session);
    expect([...world.host.runs.values()]).toEqual([1]);
  });

  test("in accept_edits the batch tier runs by rule, the individual tier asks", async () => {
    const model = ScriptedModel.steps(() => callTools(["fs_edit", { path: "a" }]), () => callTools(["exec_run", {}]));
    const world = new FakeWorld(model, hostWith(edit, exec));
    const session = await world.engine.startSession("edit", { mode: "accept_edits" });
    const asked = await world.until(session, (log) => waitingCalls(log).length === 1);
    expect(callsOf(asked).map((call) => [call.tool, call.state])).toEqual([
      ["fs_edit", "settled"],
      ["exec_run", "asked"],
    ]);
    expect(callsOf(asked)[0]?.answer?.by).toBe("rule:accept_edits");
    const sent = world.host.requests.filter((request) => request.name === "fs_edit").at(-1)?.params as { _meta: Record<string, unknown> };
    expect(sent._meta["dev.outrigger/approval"]).toEqual({ by: "rule:accept_edits" });
  });
});

describe("row 11, ancestor fault 11: stop", () => {
  test("a running command is cancelled in the host, and its own answer is its result", async () => {
    const slow: FakeTool = {
      ...exec,
      tier: "auto",
      run: (_args, { cancelled }) =>
        new Promise((resolve) => {
          cancelled.addEventListener("abort", () => resolve({ text: "cancelled: 3 of 10 tests had run", isError: true, code: "cancelled" }));
        }),
    };
    const world = new FakeWorld(ScriptedModel.steps(() => callTools(["exec_run", {}], ["exec_run", { command: "two" }])), hostWith(slow));
    const session = await world.engine.startSession("run");
    await world.until(session, (log) => callsOf(log)[0]?.sent === true && world.host.runs.size === 1);
    await world.engine.stop(session);
    const log = await world.ended(session);
    expect(log.turns[0]?.outcome).toBe("cancelled");
    expect(callsOf(log).map((call) => call.result?.text)).toEqual(["cancelled: 3 of 10 tests had run", expect.stringContaining("nothing was done")]);
  });

  test("a stream is cut, and its draft stays", async () => {
    const model = ScriptedModel.steps(async function* ({ signal }) {
      yield { type: "text", text: "I begin" };
      await new Promise((resolve) => {
        signal.addEventListener("abort", resolve);
      });
    });
    const world = new FakeWorld(model, hostWith(read));
    const session = await world.engine.startSession("talk");
    await world.until(session, (log) => log.turns[0]?.steps[0]?.text === "I begin");
    await world.engine.stop(session);
    const log = await world.ended(session);
    expect(log.turns[0]?.outcome).toBe("cancelled");
    expect(log.turns[0]?.steps[0]).toMatchObject({ state: "cut", text: "I begin" });
  });

  test("a card that waits is settled without asking the host", async () => {
    const world = new FakeWorld(ScriptedModel.steps(() => callTools(["exec_run", {}])), hostWith(exec));
    const session = await world.engine.startSession("run");
    await world.until(session, (log) => waitingCalls(log).length === 1);
    await world.engine.stop(session);
    const log = await world.ended(session);
    expect(callsOf(log)[0]?.result?.text).toContain("cancelled");
  });
});

describe("row 79, ancestor fault 10: the host dies", () => {
  test("while a card waits: a fresh plan comes, the card stays, its answer runs once", async () => {
    const world = new FakeWorld(ScriptedModel.steps(() => callTools(["exec_run", {}])), hostWith(exec));
    const session = await world.engine.startSession("run");
    const asked = await world.until(session, (log) => waitingCalls(log).length === 1);
    world.host.kill();
    const fresh = await world.until(session, (log) => waitingCalls(log)[0]?.asked?.instance !== waitingCalls(asked)[0]?.asked?.instance, "a fresh plan");
    expect(waitingCalls(fresh)[0]?.asked?.plan.digest).toBe(waitingCalls(asked)[0]?.asked?.plan.digest);
    // The panel may still show the plan of before: it says the same, so the answer holds.
    await world.engine.answers.approval(session, answersFor(asked, "allow"));
    await world.ended(session);
    expect([...world.host.runs.values()]).toEqual([1]);
  });

  test("while a read runs: it runs again", async () => {
    let count = 0;
    const slow: FakeTool = { ...read, run: () => ((count += 1) === 1 ? new Promise(() => {}) : { text: "read" }) };
    const world = new FakeWorld(ScriptedModel.steps(() => callTools(["fs_read", { path: "a" }])), hostWith(slow));
    const session = await world.engine.startSession("read");
    await world.until(session, () => count === 1);
    world.host.kill();
    // The journal forgets what only reads.
    world.host.journal.clear();
    const log = await world.ended(session);
    expect(callsOf(log)[0]?.result?.text).toBe("read");
  });

  test("while a command runs: its outcome is unknown, and it is not run again", async () => {
    const hanging: FakeTool = { ...exec, tier: "auto", run: () => new Promise(() => {}) };
    const world = new FakeWorld(ScriptedModel.steps(() => callTools(["exec_run", { command: "deploy" }])), hostWith(hanging));
    const session = await world.engine.startSession("run");
    await world.until(session, () => world.host.runs.size === 1);
    world.host.kill();
    const log = await world.ended(session);
    expect(callsOf(log)[0]?.result?.structured).toMatchObject({ code: "outcome_unknown" });
    expect([...world.host.runs.values()]).toEqual([1]);
    expect(callsOf(log)[0]?.result?.text).toContain("deploy");
  });

  test("and its old process still settles the call: it is asked again until that is done", async () => {
    const hanging: FakeTool = { ...exec, tier: "auto", run: () => new Promise(() => {}) };
    const world = new FakeWorld(ScriptedModel.steps(() => callTools(["exec_run", { command: "deploy" }])), hostWith(hanging));
    const session = await world.engine.startSession("run");
    await world.until(session, () => world.host.runs.size === 1);
    world.host.busy = 2;
    world.host.kill();
    const log = await world.ended(session);
    expect(callsOf(log)[0]?.result?.structured).toMatchObject({ code: "outcome_unknown" });
    expect([...world.host.runs.values()]).toEqual([1]);
  });

  test("a missing host fails the turn in words, and Retry goes on", async () => {
    const host = hostWith(read);
    host.missing = "Specified native messaging host not found.";
    const world = new FakeWorld(ScriptedModel.steps(() => say("hello")), host);
    const session = await world.engine.startSession("hi");
    const log = await world.ended(session);
    expect(log.turns[0]?.fault).toMatchObject({ code: "host_not_found" });
    host.missing = null;
    await world.until(session, () => world.connection.client !== null, "the host");
    await world.engine.resume(session);
    expect((await world.ended(session)).turns[0]?.outcome).toBe("complete");
  });
});

describe("the engine dies at any event", () => {
  test("the log goes on from every place: each call has one result, nothing ran twice", async () => {
    const tools = [read, edit, exec];
    const model = () =>
      ScriptedModel.steps(
        () => callTools(["fs_read", { path: "a" }], ["fs_read", { path: "b" }]),
        () => callTools(["fs_edit", { path: "a" }], ["fs_edit", { path: "b" }], ["exec_run", { command: "test" }]),
        () => say("done"),
      );
    const whole = new FakeWorld(model(), hostWith(...tools));
    const session = await whole.engine.startSession("work");
    await allowAll(whole, session);
    const events = await whole.storage.readEvents(session, 0);
    expect(events.length).toBeGreaterThan(25);

    for (let cut = 2; cut <= events.length; cut += 1) {
      const storage = new MemoryStorage();
      await storage.append(events.slice(0, cut), { ...summarise(await whole.log(session)), status: "running", seq: cut });
      // The same journal: what ran before the cut is known to the host.
      const host = hostWith(...tools);
      for (const [key, entry] of whole.host.journal) {
        if (events.slice(0, cut).some(({ event }) => event.type === "ToolStarted" && event.call === key)) host.journal.set(key, entry);
      }
      const again = new FakeWorld(model(), host, storage);
      await again.engine.start();
      const log = await allowAll(again, session);
      const after = await storage.readEvents(session, 0);
      const results = after.flatMap(({ event }) => (event.type === "ToolResult" ? [event.call] : []));
      const calls = callsOf(log).filter((call) => log.turns[0]?.steps.find((step) => step.id === call.step)?.state === "ended");
      expect(results.toSorted(), `cut after ${cut}`).toEqual(calls.map((call) => call.id).toSorted());
      expect(log.turns[0]?.outcome, `cut after ${cut}`).toBe("complete");
      expect(Math.max(0, ...host.runs.values())).toBeLessThanOrEqual(1);
    }
  });
});

describe("row 26, ancestor fault 16: the model fails", () => {
  const overloaded = (retryAfter: number | null) =>
    new ModelFault({ code: "overloaded", message: "overloaded", hint: null, retryable: true }, retryAfter);

  test("it is asked again by itself, with what the server asked for in sight", async () => {
    // The event is written a moment after its time was reckoned: here no moment passes.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    onTestFinished(() => void vi.useRealTimers());
    let count = 0;
    const model = new ScriptedModel(() => () => {
      count += 1;
      if (count < 3) throw overloaded(5);
      return say("at last");
    });
    const world = new FakeWorld(model, hostWith(read));
    const session = await world.engine.startSession("hi");
    const log = await world.ended(session);
    expect(log.turns[0]).toMatchObject({ outcome: "complete", steps: [{ state: "cut" }, { state: "cut" }, { state: "ended", text: "at last" }] });
    const scheduled = (await world.storage.readEvents(session, 0)).flatMap(({ event, at }) => (event.type === "RetryScheduled" ? [event.at - at] : []));
    expect(scheduled).toEqual([5, 5]);
  });

  test("what asks for longer than anyone waits is no wait: the turn ends in words, and Retry is there", async () => {
    let isBusy = true;
    const model = new ScriptedModel(() => () => {
      if (isBusy) throw overloaded(90_000_000_000);
      return say("now");
    });
    const world = new FakeWorld(model, hostWith(read));
    const session = await world.engine.startSession("hi");
    const log = await world.ended(session);
    expect(log.turns[0]).toMatchObject({ outcome: "failed", fault: { code: "overloaded", message: expect.stringContaining("wait 25000 hours"), retryable: true } });
    expect(model.requests).toHaveLength(1);
    isBusy = false;
    await world.engine.resume(session);
    expect((await world.ended(session)).turns[0]?.outcome).toBe("complete");
  });

  test("Retry now does not wait, and Stop ends the waiting", async () => {
    let count = 0;
    const model = new ScriptedModel(() => () => {
      count += 1;
      if (count !== 2) throw overloaded(3_600_000);
      return say("now");
    });
    const world = new FakeWorld(model, hostWith(read));
    const session = await world.engine.startSession("hi");
    await world.until(session, (log) => log.turns[0]?.steps[0]?.state === "waiting_to_retry");
    await world.engine.resume(session);
    expect((await world.ended(session)).turns[0]?.outcome).toBe("complete");
    await world.engine.sendMessage(session, "more");
    await world.until(session, (log) => log.turns[1]?.steps[0]?.state === "waiting_to_retry");
    await world.engine.stop(session);
    expect((await world.until(session, (log) => log.turns[1]?.outcome !== null)).turns[1]?.outcome).toBe("cancelled");
  });

  test("an answer that breaks off is asked for again no more than twice", async () => {
    const model = new ScriptedModel(
      () =>
        async function* () {
          yield { type: "text", text: "half" };
          throw new ModelFault({ code: "stream_cut", message: "cut", hint: null, retryable: true }, 1);
        },
    );
    const world = new FakeWorld(model, hostWith(read));
    const session = await world.engine.startSession("hi");
    const log = await world.ended(session);
    expect(log.turns[0]).toMatchObject({ outcome: "failed", fault: { code: "stream_cut" } });
    expect(model.requests).toHaveLength(3);
    expect(log.turns[0]?.steps.map((step) => step.text)).toEqual(["half", "half", "half"]);
  });

  test("what waiting does not mend is not tried again, and Retry is there", async () => {
    let key = "wrong";
    const model = new ScriptedModel(() => () => {
      if (key === "wrong") throw new ModelFault({ code: "key_refused", message: "no", hint: "key", retryable: false });
      return say("yes");
    });
    const world = new FakeWorld(model, hostWith(read));
    const session = await world.engine.startSession("hi");
    expect((await world.ended(session)).turns[0]).toMatchObject({ outcome: "failed", fault: { code: "key_refused", hint: "key" } });
    key = "right";
    await world.engine.resume(session);
    expect((await world.ended(session)).turns[0]?.outcome).toBe("complete");
  });

  test("calls of an answer that broke off never run", async () => {
    let count = 0;
    const model = new ScriptedModel(
      () =>
        async function* () {
          count += 1;
          if (count > 1) {
            yield* say("fine");
            return;
          }
          yield { type: "call", providerCall: "c", tool: "exec_run", argsText: "{}", providerData: null };
          throw new ModelFault({ code: "stream_cut", message: "cut", hint: null, retryable: true }, 1);
        },
    );
    const world = new FakeWorld(model, hostWith({ ...exec, tier: "auto" }));
    const log = await world.ended(await world.engine.startSession("hi"));
    expect(log.turns[0]?.outcome).toBe("complete");
    expect(world.host.requests).toEqual([]);
    expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(["user"]);
  });
});
