// The reducer against chance: whatever answers come, in whatever order, however often the engine dies in between,
// a turn ends, each call has one result, and each prompt is one a provider takes.
import { describe, expect, test } from "vitest";
import type { Plan } from "../wire/plan.ts";
import { isAdmissible } from "./admissible.ts";
import { buildMessages } from "./context.ts";
import type { AgentEvent, StoredEvent } from "./events.ts";
import { emptyLog, foldEvent, foldEvents } from "./fold.ts";
import { findCall, type CallLog, type SessionLog } from "./log.ts";
import { viewSession } from "./projection.ts";
import { recover } from "./recover.ts";
import { activeTurn, due, pathsMeet, step, type Effect } from "./step.ts";

function randomOf(seed: number): () => number {
  let state = seed * 7_919 + 1;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

const PLAN: Plan = {
  id: "p",
  digest: "d",
  tool: "fs_edit",
  workspace: "app",
  tier: "batch",
  reasons: [],
  summary: "",
  preview: { kind: "stage", action: "stage", paths: [] },
  expires_at: "2030-01-01T00:00:00Z",
};
const FAULT = { code: "x", message: "x", hint: null, retryable: true };

class Simulation {
  readonly events: StoredEvent[] = [];
  readonly random: () => number;
  log: SessionLog = emptyLog("s");
  /** What the host did: effects by call. */
  readonly ran = new Map<string, number>();
  readonly prompts: string[][] = [];
  #ids = 0;
  #now = 1;

  constructor(seed: number) {
    this.random = randomOf(seed);
    this.append({ type: "SessionStarted", config: { workspace: null, model: "demo", mode: "ask" } });
    this.append({ type: "UserMessage", message: "m1", text: "go" });
  }

  append(...events: readonly AgentEvent[]): void {
    for (const event of events) {
      if (!isAdmissible(this.log, event)) continue;
      const seq = this.log.seq + 1;
      const stored: StoredEvent = { session: "s", seq, id: `e${seq}`, parent: this.log.lastEvent, at: (this.#now += 1), event };
      this.events.push(stored);
      this.log = step(this.log, stored).state;
    }
  }

  pick<Item>(...items: readonly Item[]): Item {
    return items[Math.floor(this.random() * items.length)] as Item;
  }

  run(limit = 4_000): void {
    for (let round = 0; round < limit; round += 1) {
      if (activeTurn(this.log) === undefined && due(this.log).length === 0) return;
      if (this.random() < 0.05) this.crash();
      if (this.random() < 0.01) this.append({ type: "StopRequested", turn: activeTurn(this.log)?.id ?? "" });
      if (this.random() < 0.01) this.append({ type: "CompactRequested", compaction: `r${(this.#ids += 1)}` });
      if (this.random() < 0.02) this.append({ type: "QueueAdded", item: `q${(this.#ids += 1)}`, kind: this.pick("queue", "steer"), text: "more" });
      const paused = activeTurn(this.log)?.paused;
      if (paused) this.append({ type: "StopRequested", turn: activeTurn(this.log)?.id ?? "" });
      const effects = due(this.log);
      if (effects.length > 0) this.carryOut(this.pick(...effects));
    }
    throw new Error(`no end: ${JSON.stringify(due(this.log))}`);
  }

  /** Everything in memory is lost; only what was stored counts. */
  crash(): void {
    this.log = foldEvents("s", this.events);
    this.append(...recover(this.log, this.#now));
  }

  carryOut(effect: Effect): void {
    switch (effect.kind) {
      case "append":
        return this.append(...effect.events);
      case "begin_turn":
        return this.append({ type: "TurnStart", turn: effect.turn.id, message: effect.turn.id, config: this.log.config, modelLabel: "m", limits: { window: this.pick(null, 60, 400), output: null } });
      case "call_model":
        return this.stream(effect.step.id);
      case "stop_model":
        return this.append({ type: "StreamCut", step: effect.step.id, fault: { ...FAULT, retryable: false }, retryAfterMs: null });
      case "schedule_retry":
        return this.append({ type: "RetryScheduled", step: effect.step.id, attempt: effect.attempt, at: this.#now, fault: effect.fault });
      case "retry_at":
        return this.append(effect.event);
      case "ask":
        return this.append({ type: "ApprovalAnswered", call: effect.call.id, plan: "p", digest: "d", decision: this.pick("allow", "deny"), note: null, hunks: null, by: "user" });
      case "call_tool":
        return this.callTool(effect.call);
      case "settle_stopped":
        return this.append(this.result(effect.call));
      case "compact":
        return this.append({ type: "Compacted", compaction: `k${(this.#ids += 1)}`, ...effect.cut, summary: "so far", tokensBefore: 100, tokensAfter: this.pick(10, 99), by: effect.by, usage: null });
    }
  }

  stream(id: string): void {
    this.prompts.push(buildMessages(this.log).map((message) => (message.role === "tool" ? `tool:${message.call}` : message.role)));
    assertPrompt(this.log);
    this.append({ type: "AssistantDelta", step: id, text: "a" });
    if (this.random() < 0.1) return this.append({ type: "StreamCut", step: id, fault: { ...FAULT, retryable: this.random() < 0.9 }, retryAfterMs: null });
    const calls = this.random() < 0.2 ? 0 : Math.floor(this.random() * 5);
    for (let place = 0; place < calls; place += 1) {
      const readOnly = this.random() < 0.5;
      this.append({
        type: "ToolRequested",
        step: id,
        call: `c${(this.#ids += 1)}`,
        providerCall: this.pick("", "same", `p${this.#ids}`),
        tool: readOnly ? "fs_read" : "fs_edit",
        argsText: this.random() < 0.05 ? "{" : JSON.stringify({ path: this.pick("a", "b", "c") }),
        readOnly,
        path: readOnly || this.random() < 0.3 ? null : this.pick("a", "a/b", "b"),
      });
      if (this.random() < 0.03) return this.crash();
    }
    this.append({ type: "AssistantDone", step: id, text: "a", reasoning: "", finish: calls === 0 ? "stop" : "tool_calls", usage: null, estimate: { system: 5, tools: 5, messages: 20 } });
  }

  callTool(call: CallLog): void {
    this.append({ type: "ToolStarted", call: call.id, instance: "i" });
    if (this.random() < 0.05) return this.crash();
    if (!call.readOnly && call.state !== "answered" && !this.ran.has(call.id) && this.random() < 0.7) {
      return this.append({ type: "ApprovalAsked", call: call.id, plan: PLAN, requestState: "r", instance: "i" });
    }
    // The host runs a key once; asked again, it gives the same result.
    if (!this.ran.has(call.id)) this.ran.set(call.id, (this.ran.get(call.id) ?? 0) + 1);
    if (this.random() < 0.1) return this.crash();
    this.append(this.result(call));
    if (this.random() < 0.1) this.append(this.result(call));
  }

  result(call: CallLog): AgentEvent {
    return { type: "ToolResult", call: call.id, isError: this.random() < 0.3, text: "t", structured: null, origin: "host", replayed: false, durationMs: 1 };
  }
}

/** After each assistant message, exactly its calls' results, in order, before anything else. */
function assertPrompt(log: SessionLog): void {
  const messages = buildMessages(log);
  const names = new Set<string>();
  for (let place = 0; place < messages.length; place += 1) {
    const message = messages[place];
    if (message?.role !== "assistant") {
      expect(message?.role).toBe("user");
      continue;
    }
    for (const call of message.calls) {
      expect(names.has(call.call)).toBe(false);
      names.add(call.call);
      place += 1;
      expect(messages[place]).toMatchObject({ role: "tool", call: call.call });
    }
  }
}

function resultsOf(events: readonly StoredEvent[]): readonly string[] {
  return events.flatMap(({ event }) => (event.type === "ToolResult" ? [event.call] : []));
}

describe("chance", () => {
  test("rows 3, 51: a thousand turns end, with one result per call", () => {
    const outcomes = new Map<string, number>();
    for (let seed = 1; seed <= 1_000; seed += 1) {
      const simulation = new Simulation(seed);
      simulation.run();
      const turn = simulation.log.turns[0];
      outcomes.set(turn?.outcome ?? "none", (outcomes.get(turn?.outcome ?? "none") ?? 0) + 1);
      const results = resultsOf(simulation.events);
      expect(new Set(results).size, `seed ${seed}`).toBe(results.length);
      for (const each of turn?.steps ?? []) {
        const open = each.calls.filter((call) => call.result === null);
        // A failed turn may owe results: Retry or the next message settles them. A cut step's calls never count.
        if (each.state === "ended") expect(open, `seed ${seed}`).toEqual([]);
        if (each.state === "cut") expect(each.calls.every((call) => call.startedAt === null)).toBe(true);
        if (turn?.outcome !== "failed") expect(each.state === "ended" || each.state === "cut", `seed ${seed}: ${each.state}`).toBe(true);
      }
      expect(Math.max(0, ...simulation.ran.values())).toBeLessThanOrEqual(1);
    }
    // All ends were seen, or the test tests less than it says.
    expect([...outcomes.keys()].toSorted()).toEqual(["cancelled", "complete", "failed"]);
  });

  test("the same log gives the same state and the same effects, folded in any portions", () => {
    for (let seed = 1; seed <= 50; seed += 1) {
      const simulation = new Simulation(seed);
      simulation.run();
      for (let cut = 0; cut <= simulation.events.length; cut += 7) {
        const once = foldEvents("s", simulation.events.slice(0, cut));
        const again = simulation.events.slice(0, cut).reduce((log, event) => step(log, event).state, emptyLog("s"));
        expect(again).toEqual(once);
        expect(due(again)).toEqual(due(once));
      }
    }
  });

  test("rows 5, 15: an effect is only owed for what is stored before it", () => {
    for (let seed = 1; seed <= 200; seed += 1) {
      const simulation = new Simulation(seed);
      simulation.run();
      let log = emptyLog("s");
      for (const stored of simulation.events) {
        if (stored.event.type === "ToolStarted") expect(stepOf(log, stored.event.call)).toBe("sealed");
        log = foldEvent(log, stored);
      }
    }
  });
});

function stepOf(log: SessionLog, call: string): string | undefined {
  const found = findCall(log, call);
  return log.turns.at(-1)?.steps.find((each) => each.id === found?.step)?.state;
}

describe("a damaged log", () => {
  test("missing, doubled and strange events still give a prompt that a provider takes", () => {
    for (let seed = 1; seed <= 200; seed += 1) {
      const simulation = new Simulation(seed);
      simulation.run();
      const random = randomOf(seed + 10_000);
      const damaged = simulation.events.flatMap((event) => (random() < 0.1 ? [] : random() < 0.1 ? [event, event] : [event]));
      const log = foldEvents("s", damaged);
      assertPrompt(log);
      expect(() => viewSession(log)).not.toThrow();
      expect(() => due(log)).not.toThrow();
    }
  });
});

describe("paths", () => {
  test.each([
    ["a", "a", true],
    ["a", "A", true],
    ["./a", "a", true],
    ["a/b", "a", true],
    ["a", "a/b", true],
    ["a\\b", "a/b", true],
    ["a/../b", "b", true],
    ["", "x", true],
    ["a", "b", false],
    ["ab", "a", false],
    ["a/b", "a/c", false],
  ])("%s and %s: %s", (left, right, expected) => {
    expect(pathsMeet(left, right)).toBe(expected);
  });
});
