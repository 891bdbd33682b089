// Row 19 (user wish 16): a deny on a path holds for what looks through a whole folder, and nothing beats it.
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { globCovers } from "../lib/glob.ts";
import type { Rule } from "../wire/rule.ts";
import { decideRead, type Circumstances } from "./decide.ts";
import { forReader, hiddenFrom } from "./hidden-paths.ts";
import type { Subject } from "./subject.ts";

const READERS = new Set(["fs_read", "search_grep", "git_diff"]);
const reads = (tool: string) => READERS.has(tool);

function rule(effect: Rule["effect"], target: Rule["target"], more: Partial<Rule> = {}): Rule {
  return { id: "r", effect, scope: "always", target, createdAt: 10, uses: 0, lastUsedAt: null, ...more };
}

function call(tool: string, ...paths: readonly string[]): Subject {
  return { tool, workspace: "app", paths, command: null, args: [], canonical: JSON.stringify({ paths }), origin: "session" };
}

const given = (rules: readonly Rule[]): Circumstances => ({ mode: "ask", rules, leases: [], taint: [], turn: "t", now: 20 });
/** As the host does it. */
const isHidden = (path: string, hidden: ReturnType<typeof hiddenFrom>) => hidden.some((each) => (each.workspace ?? "app") === "app" && globCovers(each.path, path));

describe("what is kept from a call that names no file", () => {
  const grep = call("search_grep");

  test.each<[string, Rule, Subject, readonly string[]]>([
    ["a deny for every tool", rule("deny", { tool: "*", path: "secrets/**" }), grep, ["secrets/**"]],
    ["a deny of reading, by whatever reads", rule("deny", { tool: "fs_read", path: "secrets/**" }), grep, ["secrets/**"]],
    ["what asks is not read unasked", rule("ask", { tool: "fs_read", path: "secrets/**" }), grep, ["secrets/**"]],
    ["an allow hides nothing", rule("allow", { tool: "*", path: "secrets/**" }), grep, []],
    ["a deny of edits hides nothing from reads", rule("deny", { tool: "fs_edit", path: "src/**" }), grep, []],
    ["a deny of edits is kept from edits", rule("deny", { tool: "fs_edit", path: "src/**" }), call("fs_edit", "link.ts"), ["src/**"]],
    ["what asks about an edit is for the plan", rule("ask", { tool: "*", path: "src/**" }), call("fs_edit", "a.ts"), []],
    ["a rule for schedules is no rule for others", rule("deny", { tool: "*", path: "secrets/**", origin: "schedule" }), grep, []],
    ["a rule without a path is decided before", rule("deny", { tool: "*" }), grep, []],
    ["a glob that cannot be read is all of it", rule("deny", { tool: "*", path: "{a" }), grep, ["**"]],
  ])("%s", (_name, made, subject, expected) => {
    expect(hiddenFrom(subject, [made], reads, null).map(({ path }) => path)).toEqual(expected);
  });

  test("the host is told in which workspace a rule holds: it knows where a path lies", () => {
    expect(hiddenFrom({ ...grep, workspace: "app" }, [rule("deny", { tool: "*", path: "a", workspace: "other" })], reads, null)).toEqual([{ path: "a", workspace: "other" }]);
  });

  test("what a person allowed on its card is shown, by the rule that asked and by no later one", () => {
    const ask = rule("ask", { tool: "fs_read", path: "secrets/**" });
    const read = call("fs_read", "secrets/a");
    expect(hiddenFrom(read, [ask], reads, 15)).toEqual([]);
    expect(hiddenFrom(read, [ask], reads, 5)).toHaveLength(1);
    expect(hiddenFrom(read, [ask, { ...ask, effect: "deny" }], reads, 15)).toHaveLength(1);
    expect(hiddenFrom(grep, [ask], reads, 15)).toHaveLength(1);
  });
});

const file = fc.constantFrom("a.ts", "src/a.ts", "src/deep/b.ts", "secrets/key", "Secrets/KEY", "x/secrets/key", ".env");
const rules = fc.array(
  fc
    .record(
      {
        tool: fc.constantFrom("*", "fs_read", "search_grep", "fs_edit"),
        workspace: fc.constantFrom("app", "other"),
        path: fc.constantFrom("**", "secrets", "secrets/**", "SECRETS/*", "src/*", "**/*.ts", "{.env,a.ts}", "{broken"),
        pattern: fc.constantFrom(".", "paths", "^$", "nothing"),
        origin: fc.constantFrom("session" as const, "schedule" as const),
      },
      { requiredKeys: ["tool"] },
    )
    .chain((target) => fc.constantFrom("deny" as const, "ask" as const, "allow" as const).map((effect) => rule(effect, target))),
  { maxLength: 6 },
);
const sweep = fc.constantFrom(...["search_grep", "git_diff", "fs_read"].flatMap((tool) => [call(tool), call(tool, "src")]));

describe("what no rule may break", () => {
  test("no search shows a file that this tool may not read by its name, or not without asking", () => {
    fc.assert(
      fc.property(rules, sweep, file, (some, looks, path) => {
        const named = decideRead({ ...looks, paths: [path] }, given(forReader(some, looks.tool, reads)));
        const search = decideRead(looks, given(forReader(some, looks.tool, reads)));
        if (named.decision === "allow" || search.decision !== "allow") return;
        expect(isHidden(path, hiddenFrom(looks, some, reads, null))).toBe(true);
      }),
      { numRuns: 3_000 },
    );
  });

  test("what is denied to one that reads is denied to all that do", () => {
    fc.assert(
      fc.property(rules, sweep, file, (some, looks, path) => {
        const denied = [...some, rule("deny", { tool: "fs_read", path: "secrets/**" })];
        if (!globCovers("secrets/**", path)) return;
        expect(decideRead({ ...looks, paths: [path] }, given(forReader(denied, looks.tool, reads))).decision).toBe("deny");
        expect(isHidden(path, hiddenFrom(looks, denied, reads, null))).toBe(true);
      }),
    );
  });

  test("one more rule, in any place of the list, never shows more; and the order shows nothing", () => {
    fc.assert(
      fc.property(rules, sweep, file, rules, fc.nat(6), (some, looks, path, more, place) => {
        const before = isHidden(path, hiddenFrom(looks, some, reads, null));
        const after = isHidden(path, hiddenFrom(looks, (some as readonly Rule[]).toSpliced(place, 0, ...more), reads, null));
        if (before) expect(after).toBe(true);
        expect(isHidden(path, hiddenFrom(looks, some.toReversed(), reads, null))).toBe(before);
      }),
      { numRuns: 1_000 },
    );
  });
});
