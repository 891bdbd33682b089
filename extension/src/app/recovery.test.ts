// ENGINE §3, row by row (feature rows 51, 52, 53, 80; ancestor fault 9): what is found at a start, and what happens then.
import { describe, expect, test } from "vitest";
import type { StoredEvent } from "../agent/events.ts";
import { foldEvents } from "../agent/fold.ts";
import { STALE_TURN_MS } from "../agent/limits.ts";
import { newUlid } from "../lib/ids.ts";
import { FakeHost, type FakeTool } from "../testing/fake-host.ts";
import { FakeWorld } from "../testing/fake-world.ts";
import { countCalls } from "../testing/provider-count.ts";
import { callTools, say, ScriptedModel } from "../testing/scripted-model.ts";
import { allowAll, answersFor, callsOf, execTool, readTool, waitingCalls } from "../testing/session-log.ts";

const command: FakeTool = { ...execTool, tier: "auto" };
const never: FakeTool = { ...command, run: () => new Promise(() => {}) };

/** The log up to and with the first event that fits. */
async function cutAfter(world: FakeWorld, session: string, fits: (event: StoredEvent["event"]) => boolean): Promise<readonly StoredEvent[]> {
  const events = await world.storage.readEvents(session, 0);
  const place = events.findIndex(({ event }) => fits(event));
  if (place === -1) throw new Error("no such event");
  return events.slice(0, place + 1);
}

/** As `events`, but long ago. */
function aged(events: readonly StoredEvent[], ms: number): readonly StoredEvent[] {
  return events.map((stored) => ({ ...stored, at: stored.at - ms }));
}

async function played(model: ScriptedModel, host: FakeHost, task = "go") {
  const world = new FakeWorld(model, host);
  const session = await world.engine.startSession(task);
  await allowAll(world, session);
  return { world, session };
}

describe("found at a start", () => {
  test("the final answer is in the log: the turn is closed, and the model is not called again", async () => {
    const { world, session } = await played(ScriptedModel.steps(() => say("the end")), new FakeHost());
    for (const type of ["AssistantDone", "StepEnd"]) {
      const model = ScriptedModel.steps(() => say("again"));
      const again = await FakeWorld.restored(await cutAfter(world, session, (event) => event.type === type), model);
      const log = await again.ended(session);
      expect(log.turns[0]).toMatchObject({ outcome: "complete", steps: [{ text: "the end" }] });
      expect(model.requests).toEqual([]);
    }
  });

  test("a cut stream: the draft stays in sight, counts for nothing, and is asked for again", async () => {
    const { world, session } = await played(ScriptedModel.steps(() => [{ type: "text", text: "I begin" }, ...callTools(["fs_read", { path: "a" }])], () => say("end")), new FakeHost().add(readTool));
    const model = ScriptedModel.steps(() => say("whole"));
    const again = await FakeWorld.restored(await cutAfter(world, session, (event) => event.type === "ToolRequested"), model);
    const log = await again.ended(session);
    expect(log.turns[0]?.steps).toMatchObject([{ state: "cut", text: expect.stringContaining("I begin") }, { state: "ended", text: "whole" }]);
    expect(log.turns[0]?.notices).toHaveLength(1);
    expect(model.requests[0]?.messages.map(({ role }) => role)).toEqual(["user"]);
  });

  test("a stream that is cut at every try is not paid for more than three times; Retry is there", async () => {
    const stream = new ScriptedModel(() => async function* () {
      yield { type: "text", text: "half" };
      await new Promise(() => {});
    });
    let world = new FakeWorld(stream, new FakeHost());
    const session = await world.engine.startSession("go");
    let deaths = 0;
    for (;;) {
      const log = await world.until(session, ({ turns }) => turns[0]?.outcome !== null || (turns[0].steps.at(-1)?.state === "streaming" && turns[0].steps.at(-1)?.text === "half"));
      if (log.turns[0]?.outcome === "failed") break;
      deaths += 1;
      expect(deaths).toBeLessThan(10);
      world = await FakeWorld.restored(await world.storage.readEvents(session, 0), stream);
    }
    expect(stream.requests).toHaveLength(3);
    const model = ScriptedModel.steps(() => say("at last"));
    const again = await FakeWorld.restored(await world.storage.readEvents(session, 0), model);
    await again.engine.resume(session);
    expect((await again.ended(session)).turns[0]?.outcome).toBe("complete");
  });

  test("a card waits: it is there again, live, with a plan of this host; nothing is answered by itself", async () => {
    const first = new FakeWorld(ScriptedModel.steps(() => callTools(["exec_run", {}]), () => say("ok")), new FakeHost().add(execTool));
    const session = await first.engine.startSession("go");
    const before = await first.until(session, (log) => waitingCalls(log).length === 1);
    const host = new FakeHost().add(execTool);
    const again = await FakeWorld.restored(await first.storage.readEvents(session, 0), ScriptedModel.steps(() => say("?"), () => say("ok")), host);
    const fresh = await again.until(session, (log) => waitingCalls(log)[0]?.asked?.requestState !== waitingCalls(before)[0]?.asked?.requestState, "a fresh plan");
    expect(host.runs.size).toBe(0);
    await again.engine.answers.approval(session, answersFor(fresh, "allow"));
    expect((await again.ended(session)).turns[0]?.outcome).toBe("complete");
    expect([...host.runs.values()]).toEqual([1]);
  });

  test.each([
    ["the plan is the same: the answer that was given holds", "", 0],
    ["the plan is another one: it is shown again", "changed", 1],
  ])("a card was answered and nothing sent. %s", async (_name, salt, cards) => {
    const { world, session } = await played(ScriptedModel.steps(() => callTools(["exec_run", {}]), () => say("ok")), new FakeHost().add(execTool));
    const host = new FakeHost().add(execTool);
    host.salt = salt;
    const again = await FakeWorld.restored(await cutAfter(world, session, (event) => event.type === "ApprovalAnswered"), ScriptedModel.steps(() => say("?"), () => say("ok")), host);
    const log = await again.until(session, (each) => each.turns[0]?.outcome !== null || waitingCalls(each).length > 0);
    expect(waitingCalls(log)).toHaveLength(cards);
    expect(host.runs.size).toBe(1 - cards);
  });

  test("a denial holds, whatever the fresh plan would do", async () => {
    const first = new FakeWorld(ScriptedModel.steps(() => callTools(["exec_run", {}]), () => say("ok")), new FakeHost().add(execTool));
    const session = await first.engine.startSession("go");
    const asked = await first.until(session, (log) => waitingCalls(log).length === 1);
    await first.engine.answers.approval(session, answersFor(asked, "deny", "no"));
    await first.ended(session);
    const host = new FakeHost().add(execTool);
    host.salt = "changed";
    const again = await FakeWorld.restored(await cutAfter(first, session, (event) => event.type === "ApprovalAnswered"), ScriptedModel.steps(() => say("?"), () => say("ok")), host);
    const log = await again.ended(session);
    expect(callsOf(log)[0]?.result?.text).toContain("approval_denied");
    expect(host.runs.size).toBe(0);
  });

  test("the tool was started and the host knows its result: it is taken, not made again", async () => {
    const host = new FakeHost().add(command);
    const { world, session } = await played(ScriptedModel.steps(() => callTools(["exec_run", { command: "x" }]), () => say("ok")), host);
    const again = await FakeWorld.restored(await cutAfter(world, session, (event) => event.type === "ToolStarted"), ScriptedModel.steps(() => say("?"), () => say("ok")), host);
    const log = await again.ended(session);
    expect(callsOf(log)[0]?.result).toMatchObject({ text: "exit 0", replayed: true });
    expect([...host.effects.values()]).toEqual([1]);
  });

  test("the engine is new, the tool still runs: it is joined by its key", async () => {
    let finish: () => void = () => {};
    const host = new FakeHost().add({ ...command, run: () => new Promise((resolve) => (finish = () => resolve({ text: "long done" }))) });
    const first = new FakeWorld(ScriptedModel.steps(() => callTools(["exec_run", {}])), host);
    const session = await first.engine.startSession("go");
    await first.until(session, () => host.runs.size === 1);
    // Another engine over the same living host: its first one is not even closed.
    const again = await FakeWorld.restored(await first.storage.readEvents(session, 0), ScriptedModel.steps(() => say("?"), () => say("ok")), host);
    await again.until(session, () => host.requests.length === 2);
    finish();
    const log = await again.ended(session);
    expect(callsOf(log)[0]?.result).toMatchObject({ text: "long done", isError: false });
    expect([...host.effects.values()]).toEqual([1]);
  });

  test("the port closed while it ran: what the host settled is the result", async () => {
    const host = new FakeHost().add(never);
    const first = new FakeWorld(ScriptedModel.steps(() => callTools(["exec_run", {}])), host);
    const session = await first.engine.startSession("go");
    await first.until(session, () => host.runs.size === 1);
    const events = await first.storage.readEvents(session, 0);
    first.die();
    const log = await (await FakeWorld.restored(events, ScriptedModel.steps(() => say("?"), () => say("ok")), host)).ended(session);
    expect(callsOf(log)[0]?.result?.structured).toMatchObject({ code: "cancelled" });
    expect([...host.effects.values()]).toEqual([1]);
  });

  test.each([
    ["the host never saw it", command, () => {}],
    ["it only reads", { ...readTool, name: "exec_run" }, (host: FakeHost) => host.journal.clear()],
  ] as const)("the tool was started, and %s: it is run", async (_name, tool, forget) => {
    const played1 = await played(ScriptedModel.steps(() => callTools(["exec_run", {}]), () => say("ok")), new FakeHost().add(tool));
    const host = new FakeHost().add(tool);
    forget(host);
    const again = await FakeWorld.restored(await cutAfter(played1.world, played1.session, (event) => event.type === "ToolStarted"), ScriptedModel.steps(() => say("?"), () => say("ok")), host);
    const log = await again.ended(played1.session);
    expect(callsOf(log)[0]?.result?.isError).toBe(false);
    expect([...host.runs.values()]).toEqual([1]);
  });

  test("a command of long ago that the host does not know: it may have forgotten it, so it is not run again", async () => {
    const { world, session } = await played(ScriptedModel.steps(() => callTools(["exec_run", { command: "deploy" }]), () => say("ok")), new FakeHost().add(execTool));
    const events = await world.storage.readEvents(session, 0);
    // Started twice: to be asked about, and after the answer.
    const place = events.findLastIndex(({ event }) => event.type === "ToolStarted");
    const host = new FakeHost().add(execTool);
    const again = await FakeWorld.restored(aged(events.slice(0, place + 1), 24 * 60 * 60_000), ScriptedModel.steps(() => say("?"), () => say("ok")), host);
    await again.until(session, ({ turns }) => turns[0]?.outcome === "failed");
    await again.engine.resume(session);
    const log = await again.until(session, ({ turns }) => turns[0]?.outcome === "complete");
    expect(callsOf(log)[0]?.result?.structured).toMatchObject({ code: "outcome_unknown" });
    expect(host.effects.size).toBe(0);
  });

  test.each(["taken away", "of before journals were told apart"])("the host's journal was %s: what it never saw may have run, or not, as the log says", async (how) => {
    const { world, session } = await played(ScriptedModel.steps(() => callTools(["exec_run", { command: "deploy" }]), () => say("ok")), new FakeHost().add(execTool));
    const events = await world.storage.readEvents(session, 0);
    const started = events.slice(0, events.findLastIndex(({ event }) => event.type === "ToolStarted") + 1);
    const host = new FakeHost().add(execTool);
    if (how === "taken away") host.loseJournal();
    const known = how === "taken away" ? started : started.map((stored) => (stored.event.type === "ToolStarted" ? { ...stored, event: { type: "ToolStarted" as const, call: stored.event.call, instance: "old" } } : stored));
    const again = await FakeWorld.restored(known, ScriptedModel.steps(() => say("?"), () => say("ok")), host);
    const log = await allowAll(again, session);
    expect(callsOf(log)[0]?.result?.structured).toMatchObject(how === "taken away" ? { code: "outcome_unknown" } : {});
    expect(host.effects.size).toBe(how === "taken away" ? 0 : 1);
  });

  test.each([["j1.6", "outcome_unknown"], ["j1.7", undefined], ["j1.12", undefined], ["j1", "outcome_unknown"]])("the host's journal was %s and is j1.7 in the log: an older copy has not seen what came after it", async (now, code) => {
    const first = new FakeHost().add(execTool);
    first.journalId = "j1.7";
    const { world, session } = await played(ScriptedModel.steps(() => callTools(["exec_run", { command: "deploy" }]), () => say("ok")), first);
    const events = await world.storage.readEvents(session, 0);
    const host = new FakeHost().add(execTool);
    host.journalId = now;
    const again = await FakeWorld.restored(events.slice(0, events.findLastIndex(({ event }) => event.type === "ToolStarted") + 1), ScriptedModel.steps(() => say("?"), () => say("ok")), host);
    const log = await allowAll(again, session);
    expect(callsOf(log)[0]?.result?.structured).toEqual(code === undefined ? expect.not.objectContaining({ code: expect.anything() }) : expect.objectContaining({ code }));
    expect(host.effects.size).toBe(code === undefined ? 1 : 0);
  });

  test("Stop, and the host's journal was taken away: it is not said that nothing was done", async () => {
    const { world, session } = await played(ScriptedModel.steps(() => callTools(["exec_run", { command: "deploy" }]), () => say("ok")), new FakeHost().add(execTool));
    const events = await world.storage.readEvents(session, 0);
    const started = events.slice(0, events.findLastIndex(({ event }) => event.type === "ToolStarted") + 1);
    const last = started.at(-1);
    if (last === undefined) throw new Error("no such event");
    const stopped: StoredEvent = { ...last, seq: last.seq + 1, id: newUlid(), parent: last.id, event: { type: "StopRequested", turn: foldEvents(session, started).turns[0]?.id ?? "" } };
    const host = new FakeHost().add(execTool);
    host.loseJournal();
    const again = await FakeWorld.restored([...started, stopped], ScriptedModel.steps(() => say("?")), host);
    const log = await again.until(session, ({ turns }) => (turns[0]?.outcome ?? null) !== null);
    expect(log.turns[0]?.outcome).toBe("cancelled");
    expect(callsOf(log)[0]?.result?.structured).toMatchObject({ code: "outcome_unknown" });
    expect(host.effects.size).toBe(0);
  });

  test("a command with an unknown outcome: named with its arguments and the check to make, and never run again", async () => {
    const host = new FakeHost().add(never);
    const first = new FakeWorld(ScriptedModel.steps(() => callTools(["exec_run", { command: "deploy", args: ["--now"] }])), host);
    const session = await first.engine.startSession("go");
    await first.until(session, () => host.runs.size === 1);
    const events = await first.storage.readEvents(session, 0);
    host.kill();
    first.die();
    const model = ScriptedModel.steps(() => say("?"), () => say("ok"));
    const log = await (await FakeWorld.restored(events, model, host)).ended(session);
    const [call] = callsOf(log);
    expect(call?.result?.structured).toMatchObject({ ok: false, code: "outcome_unknown" });
    for (const part of [call?.id ?? "?", "exec_run", "deploy", "--now", "git_status"]) expect(call?.result?.text).toContain(part);
    expect(model.requests.at(-1)?.messages.at(-1)).toMatchObject({ role: "tool", text: call?.result?.text });
    expect([...host.effects.values()]).toEqual([1]);
  });

  test("in flight for more than 30 minutes: nothing is done by itself, and Retry goes on", async () => {
    const { world, session } = await played(ScriptedModel.steps(() => callTools(["fs_read", { path: "a" }]), () => say("ok")), new FakeHost().add(readTool));
    for (const type of ["TurnStart", "StepStart", "ToolStarted", "ToolResult"]) {
      const host = new FakeHost().add(readTool);
      const model = ScriptedModel.steps(() => callTools(["fs_read", { path: "a" }]), () => say("ok"));
      const again = await FakeWorld.restored(aged(await cutAfter(world, session, (event) => event.type === type), STALE_TURN_MS + 1_000), model, host);
      const log = await again.ended(session);
      expect(log.turns[0], type).toMatchObject({ outcome: "failed", fault: { code: "stale_turn" } });
      expect([model.requests.length, host.requests.length]).toEqual([0, 0]);
      await again.engine.resume(session);
      expect((await again.until(session, ({ turns }) => turns[0]?.outcome === "complete")).turns[0]?.outcome).toBe("complete");
      expect(countCalls(model.requests)).toEqual({ lost: 0, doubled: 0, orphans: 0 });
    }
  });

  test("recovered again and again without anything done between: no more by itself, and Retry goes on", async () => {
    const { world, session } = await played(ScriptedModel.steps(() => callTools(["exec_run", {}]), () => say("end")), new FakeHost().add(command));
    let events = await cutAfter(world, session, (event) => event.type === "ToolStarted");
    // Each engine dies while the call is being asked about, and leaves nothing but that it was there.
    for (let life = 1; life <= 2; life += 1) {
      const host = new FakeHost().add(never);
      const again = await FakeWorld.restored(events, ScriptedModel.steps(() => say("?")), host);
      await again.until(session, (log) => log.turns[0]?.recoveries === life);
      const all = await again.storage.readEvents(session, 0);
      events = all.slice(0, all.findLastIndex(({ event }) => event.type === "Recovered") + 1);
      again.die();
    }
    const host = new FakeHost().add(command);
    const last = await FakeWorld.restored(events, ScriptedModel.steps(() => say("?"), () => say("on we go")), host);
    const log = await last.ended(session);
    expect(log.turns[0]).toMatchObject({ outcome: "failed", fault: { code: "recovery_failed", retryable: true, hint: expect.stringContaining("Retry") } });
    expect(host.requests).toEqual([]);
    await last.engine.resume(session);
    const done = await last.until(session, ({ turns }) => turns[0]?.outcome === "complete");
    expect(callsOf(done)[0]?.result).not.toBeNull();
  });

  test("a card that waited for days is no stale turn", async () => {
    const first = new FakeWorld(ScriptedModel.steps(() => callTools(["exec_run", {}])), new FakeHost().add(execTool));
    const session = await first.engine.startSession("go");
    await first.until(session, (log) => waitingCalls(log).length === 1);
    const again = await FakeWorld.restored(aged(await first.storage.readEvents(session, 0), 3 * 86_400_000), ScriptedModel.steps(() => say("?"), () => say("ok")), new FakeHost().add(execTool));
    const log = await again.until(session, (each) => waitingCalls(each).length === 1);
    expect(log.turns[0]?.outcome).toBeNull();
    expect((await allowAll(again, session)).turns[0]?.outcome).toBe("complete");
  });
});
