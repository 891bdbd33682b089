// Rows 13, 23, 24, 56, 68 (user wish 8; ancestor fault 16): what a prompt holds, how full it is, and how room is made.
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { estimateTokens } from "../lib/estimate-tokens.ts";
import { TAKES_UNKNOWN, factsOf, readFacts, SHIPPED_FACTS } from "../llm/model-facts.ts";
import { SessionScript } from "../testing/session-script.ts";
import { messagesToSummarise, roomOf, savingOf } from "./compaction.ts";
import { buildMessages, callsInPrompt } from "./context.ts";
import { lifetimeOf } from "./decay.ts";
import { LIFETIME_STEPS } from "./limits.ts";
import { correction, meterOf } from "./meter.ts";

const long = (mark: string, characters = 4_000) => `${mark} ${"x".repeat(characters)}`;

function session(window: number | null = null, tokenFactor?: number): SessionScript {
  return new SessionScript().withWindow(window, tokenFactor).say("go").begin();
}

function texts(script: SessionScript): readonly string[] {
  return buildMessages(script.log).map((message) => `${message.role}: ${message.text.slice(0, 60)}`);
}

describe("row 23: the estimate", () => {
  test.each([
    ["", 0],
    ["abcd", 1],
    ["abcde", 2],
    ["汉字", 2],
    ["かな", 2],
    ["한글", 2],
    ["ab汉字cd", 3],
    ["𠀀𠀁", 2],
  ])("%j is about %i", (text, tokens) => {
    expect(estimateTokens(text)).toBe(tokens);
  });

  test("longer texts never count less", () => {
    fc.assert(fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (left, right) => void expect(estimateTokens(left + right) + 1).toBeGreaterThanOrEqual(estimateTokens(left))));
  });

  test("is corrected by what the provider counted, within reason", () => {
    const script = session();
    script.step([{ tool: "a", args: {}, text: "r" }], { usage: used(2_000), estimate: { system: 500, tools: 400, messages: 100 } });
    expect(correction(script.log)).toBe(2);
    script.step([{ tool: "a", args: {}, text: "s" }], { usage: used(1_000_000), estimate: { system: 500, tools: 400, messages: 100 } });
    expect(correction(script.log)).toBe(4);
  });

  test("begins with what other sessions found of the model, until it is counted here, and within reason too", () => {
    const begun = (tokenFactor: number) => session(null, tokenFactor);
    expect(correction(begun(1.5).log)).toBe(1.5);
    expect(correction(begun(900).log)).toBe(4);
    expect(correction(begun(1.5).step([{ tool: "a", args: {}, text: "r" }], { usage: used(2_000), estimate: { system: 500, tools: 400, messages: 100 } }).log)).toBe(2);
  });
});

const used = (inputTokens: number) => ({ inputTokens, outputTokens: 1, cachedInputTokens: null, reasoningTokens: null });

describe("rows 24, 56: the meter", () => {
  test("tells the classes, and no share where the window is not known", () => {
    const script = session(null).step([{ tool: "fs_read", args: {}, text: long("r") }], { text: "I look", estimate: { system: 100, tools: 200, messages: 0 } });
    const meter = meterOf(script.log);
    expect(meter).toMatchObject({ window: null, share: null, level: "ok" });
    expect(Object.fromEntries(meter.classes.map(({ name, tokens }) => [name, tokens]))).toMatchObject({ system: 100, tools: 200, user: 1, tool_results: 1_001 });
    expect(meter.tokens).toBe(meter.classes.reduce((sum, { tokens }) => sum + tokens, 0));
  });

  test.each([
    [2_000, "ok"],
    [1_400, "warning"],
    [1_100, "danger"],
  ])("in a window of %i it says %s", (window, level) => {
    expect(meterOf(session(window).step([{ tool: "fs_read", args: {}, text: long("r") }]).log).level).toBe(level);
  });
});

describe("row 13: old outputs decay", () => {
  test("after three turns an output is a stub that says how to get it again; the log keeps it", () => {
    const script = session().step([{ tool: "fs_read", args: { path: "a" }, text: long("first") }]).end();
    for (let place = 0; place < 3; place += 1) {
      expect(texts(script)[2]).toContain("tool: first");
      script.say(`more ${place}`).begin().step([], { text: "ok" }).end();
    }
    const stub = buildMessages(script.log)[2];
    expect(stub?.role === "tool" && stub.text).toMatch(/4006 characters.*first[^]*Call fs_read again/);
    expect(script.log.turns[0]?.steps[0]?.calls[0]?.result?.text).toBe(long("first"));
  });

  test("how long one is still whole is told as the prompt will have it; calls come as the prompt has their results", () => {
    const script = session().step([{ tool: "fs_read", args: { path: "a" }, text: long("first") }, { tool: "fs_read", args: { path: "b" }, text: "short" }]).end();
    const told: unknown[] = [];
    for (let place = 0; place < 4; place += 1) {
      const calls = callsInPrompt(script.log);
      const results = buildMessages(script.log).filter((message) => message.role === "tool");
      expect(calls).toHaveLength(results.length);
      const [first, short] = calls.map((call) => lifetimeOf(script.log.turns, call));
      expect([first === "stub", short]).toEqual([results[0]?.text.startsWith("[") === true, null]);
      told.push(first);
      script.say(`more ${place}`).begin().step([], { text: "ok" }).end();
    }
    expect(told).toEqual([2, 1, 0, "stub"]);
  });

  test("short ones stay, and what wrote is not asked for again", () => {
    const script = session().step([{ tool: "fs_read", args: {}, text: "short" }, { tool: "exec_run", args: {}, text: long("ran"), readOnly: false }]).end();
    for (let place = 0; place < 3; place += 1) script.say("more").begin().step([], { text: "ok" }).end();
    const results = buildMessages(script.log).filter((message) => message.role === "tool");
    expect(results[0]?.text).toBe("short");
    expect(results[1]?.text).toContain("cannot be shown again");
  });

  test("within a long turn they decay in blocks: most prompts begin as the one before", () => {
    const script = session();
    let changes = 0;
    let before: readonly string[] = [];
    const steps = LIFETIME_STEPS + 20;
    for (let place = 0; place < steps; place += 1) {
      script.step([{ tool: "fs_read", args: { place }, text: long(`${place}`) }]);
      const now = buildMessages(script.log).map((message) => message.text);
      if (before.some((text, at) => text !== now[at])) changes += 1;
      before = now;
    }
    expect(changes).toBe(2);
  });
});

describe("row 68: compaction", () => {
  test("at 85 % the oldest part gives way; the newest stays, and the cut never parts a call from its result", () => {
    const script = session(4_000);
    for (let place = 0; place < 3; place += 1) script.step([{ tool: "fs_read", args: { place }, text: long(`${place}`) }]);
    expect(roomOf(script.log)).toEqual({ kind: "enough" });
    script.step([{ tool: "fs_read", args: { place: 3 }, text: long("3", 1_800) }]);
    const room = roomOf(script.log);
    expect(room).toMatchObject({ kind: "compact", by: "engine" });
    if (room.kind !== "compact") return;
    expect(messagesToSummarise(script.log, room.cut).map(({ role }) => role)).toEqual(["user", ...Array.from({ length: room.cut.steps }, () => ["assistant", "tool"]).flat()]);
    const saving = savingOf(script.log, room.cut, "so far");
    expect(saving.tokensAfter).toBeLessThan(saving.tokensBefore * 0.5);
    script.add({ type: "Compacted", compaction: "k", ...room.cut, summary: "so far", ...saving, by: "engine", usage: null });
    const [first, second] = buildMessages(script.log);
    expect(first?.text).toMatch(/summarised[^]*so far[^]*The task at hand, word for word\]\ngo/);
    expect(second?.role).toBe("assistant");
    expect(roomOf(script.log)).toEqual({ kind: "enough" });
    // Undone, everything is there again: nothing was deleted.
    script.add({ type: "CompactionUndone", compaction: "k" });
    expect(texts(script)[0]).toBe("user: go");
    expect(buildMessages(script.log)).toHaveLength(9);
  });

  test("what was pinned stays word for word", () => {
    const script = session(null).step([], { text: long("answer", 40_000) }).end();
    script.add({ type: "TurnPinned", turn: script.log.turns[0]?.id ?? "", pinned: true });
    script.say("second").begin().step([], { text: long("again", 40_000) }).end().say("third").begin().step([], { text: "ok" }).end();
    script.add({ type: "CompactRequested", compaction: "k" });
    const room = roomOf(script.log);
    expect(room).toMatchObject({ kind: "compact", by: "user" });
    if (room.kind !== "compact") return;
    script.add({ type: "Compacted", compaction: "k", ...room.cut, summary: "so far", tokensBefore: 2, tokensAfter: 1, by: "user", usage: null });
    expect(buildMessages(script.log)[0]?.text).toContain("[Pinned by the user, word for word]\ngo");
    expect(texts(script).join()).not.toContain("again");
  });

  test("two that did not help, and a person decides: it cannot loop", () => {
    const script = session(1_000).step([{ tool: "fs_read", args: {}, text: long("0", 8_000) }]).step([{ tool: "fs_read", args: {}, text: long("1", 8_000) }]);
    for (const compaction of ["k1", "k2"]) {
      expect(roomOf(script.log)).toMatchObject({ kind: "compact" });
      script.add({ type: "Compacted", compaction, turn: script.log.turns[0]?.id ?? "", steps: 0, summary: "s", tokensBefore: 100, tokensAfter: 90, by: "engine", usage: null });
    }
    expect(roomOf(script.log)).toMatchObject({ kind: "stuck", message: expect.stringMatching(/\d+ %/) });
  });

  test("a draft that was left between two steps is no reason to find no room", () => {
    const script = session(2_600).step([{ tool: "fs_read", args: {}, text: long("0") }]);
    const turn = script.log.turns[0]?.id ?? "";
    script.add(
      { type: "StepStart", turn, step: `${turn}.2`, index: 1, attempt: 1 },
      { type: "StreamCut", step: `${turn}.2`, fault: { code: "interrupted", message: "", hint: null, retryable: true }, retryAfterMs: null },
    );
    script.step([{ tool: "fs_read", args: { place: 1 }, text: long("1", 6_000) }]);
    const room = roomOf(script.log);
    expect(room).toMatchObject({ kind: "compact", cut: { steps: 2 } });
    if (room.kind === "compact") expect(messagesToSummarise(script.log, room.cut).map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  });

  test("one step that fills the window alone is nothing to summarise", () => {
    expect(roomOf(session(1_000).step([{ tool: "fs_read", args: {}, text: long("0", 8_000) }]).log)).toMatchObject({ kind: "stuck" });
  });
});

describe("prices and windows", () => {
  const usage = { inputTokens: 1_000_000, outputTokens: 100_000, cachedInputTokens: 400_000, reasoningTokens: null, cacheWriteTokens: 100_000 };

  test("are known by the model's name, whoever serves it and whatever its date", () => {
    for (const name of ["claude-sonnet-4", "claude-sonnet-4-20250514", "anthropic/claude-sonnet-4", "Claude-Sonnet-4-latest"]) {
      expect(factsOf(name, [])).toMatchObject({ window: 200_000, output: 64_000 });
    }
    expect(factsOf("claude-sonnet-4", []).price?.(usage)).toBeCloseTo(0.5 * 3 + 0.4 * 0.3 + 0.1 * 3.75 + 0.1 * 15, 10);
  });

  test.each(["claude-sonnet-42", "my-gpt-4o-clone", "gpt-4o:free", "qwen3:8b", ""])("%j is unknown, and has no price: not 0", (name) => {
    expect(factsOf(name, [])).toMatchObject({ window: null, output: null, price: null, takes: TAKES_UNKNOWN });
  });

  test("a person's row wins; what is missing in it is unknown", () => {
    const own = readFacts([{ name: "gpt-4o", window: 1_000, inputUsd: "cheap" }, { window: 5 }, 7]);
    expect(own).toHaveLength(1);
    expect(factsOf("gpt-4o", own)).toMatchObject({ window: 1_000, output: null, price: null, takes: TAKES_UNKNOWN });
  });

  test("a long prompt has its own price, for all of its tokens; where that is not known there is none", () => {
    const prompt = { ...usage, inputTokens: 300_000, outputTokens: 1_000, cachedInputTokens: 0, cacheWriteTokens: 0 };
    expect(factsOf("gemini-2.5-pro", []).price?.({ ...prompt, inputTokens: 200_000 })).toBeCloseTo(0.2 * 1.25 + 0.001 * 10, 10);
    expect(factsOf("gemini-2.5-pro", []).price?.(prompt)).toBeCloseTo(0.3 * 2.5 + 0.001 * 15, 10);
    expect(factsOf("anthropic/claude-haiku-5.5", []).price?.(prompt)).toBeCloseTo(0.3 * 0.5 + 0.001 * 2.5, 10);
    expect(factsOf("gpt-5.5", []).price?.(prompt)).toBeNull();
  });

  test("usage that nobody counted has no price", () => {
    expect(factsOf("gpt-4o", []).price?.(null)).toBeNull();
    expect(factsOf("gpt-4o", []).price?.({ ...usage, outputTokens: null })).toBeNull();
    expect(new Set(SHIPPED_FACTS.map(({ name }) => name)).size).toBe(SHIPPED_FACTS.length);
  });
});
