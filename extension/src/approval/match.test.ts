// Row 19 (user wish 16): what a rule speaks of, token by token and path by path; and what "always" would also let through.
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { exactGlob, globMatches } from "../lib/glob.ts";
import { readRules } from "../wire/read-rules.ts";
import { faultOfTarget, type RuleTarget } from "../wire/rule.ts";
import { matches } from "./match.ts";
import { propose } from "./propose.ts";
import { subjectOf, type Subject } from "./subject.ts";

const command = (args: readonly string[]): Subject => ({ tool: "exec_run", workspace: "app", paths: [], command: "git", args, canonical: "{}", origin: "session" });
const files = (...paths: readonly string[]): Subject => ({ tool: "fs_edit", workspace: "app", paths, command: null, args: [], canonical: "{}", origin: "session" });

describe("commands", () => {
  test.each<[readonly string[] | undefined, readonly string[], boolean]>([
    [undefined, ["push", "--force"], true],
    [["push"], ["push"], true],
    [["push"], ["push", "--force"], false],
    [["push"], ["pushx"], false],
    [["push", "**"], ["push"], true],
    [["push", "**"], ["push", "--force", "x"], true],
    [["*"], ["push"], true],
    [["*"], [], false],
    [[], [], true],
    [[], ["x"], false],
  ])("%j and %j: %s", (args, tokens, expected) => {
    expect(matches({ tool: "exec_run", command: "git", ...(args === undefined ? {} : { args: [...args] }) }, "allow", command(tokens))).toBe(expected);
  });

  test("another command is another command", () => {
    expect(matches({ tool: "exec_run", command: "gi" }, "allow", command([]))).toBe(false);
    expect(matches({ tool: "exec_run", command: "gitk" }, "deny", command([]))).toBe(false);
  });
});

describe("paths", () => {
  test("an allow must fit every path, a deny any one of them", () => {
    const target: RuleTarget = { tool: "fs_edit", path: "src/**" };
    expect(matches(target, "allow", files("src/a", "src/b/c"))).toBe(true);
    expect(matches(target, "allow", files("src/a", "package.json"))).toBe(false);
    expect(matches(target, "deny", files("src/a", "package.json"))).toBe(true);
  });

  test("a call whose paths are not known is not let through by a path", () => {
    expect(matches({ tool: "*", path: "**" }, "allow", files())).toBe(false);
  });

  test("a deny does not care for capitals, an allow does", () => {
    expect(matches({ tool: "*", path: "secrets/**" }, "deny", files("Secrets/KEY"))).toBe(true);
    expect(matches({ tool: "*", path: "secrets/**" }, "allow", files("Secrets/KEY"))).toBe(false);
  });

  test.each([
    ["./src//a.ts", "src/a.ts"],
    ["src\\a.ts", "src/a.ts"],
    ["x/../src/a.ts", "src/a.ts"],
  ])("before there is a plan, %s is %s", (written, path) => {
    expect(subjectOf({ tool: "fs_read", args: { path: written }, workspace: null, origin: "session" }, null).paths).toEqual([path]);
  });

  test("where there is a plan, its canonical paths count and not what the model wrote", () => {
    const plan = { id: "p", digest: "d", tool: "fs_edit", workspace: "app", tier: "batch" as const, reasons: [], summary: "", expires_at: "", preview: { kind: "stage" as const, action: "stage" as const, paths: ["real/target.ts"] } };
    const subject = subjectOf({ tool: "fs_edit", args: { path: "link.ts" }, workspace: null, origin: "session" }, plan);
    expect(subject.paths).toEqual(["real/target.ts"]);
    expect(subject.workspace).toBe("app");
  });
});

describe("globs", () => {
  test.each<[string, string, boolean]>([
    ["*.ts", "a.ts", true],
    ["*.ts", "src/a.ts", false],
    ["**/*.ts", "a.ts", true],
    ["**/*.ts", "src/deep/a.ts", true],
    ["src/**", "src/a", true],
    ["src/**", "src", false],
    ["src/**", "srcs/a", false],
    ["a?c", "abc", true],
    ["a?c", "a/c", false],
    ["{a,b}.ts", "b.ts", true],
    ["{a,b}.ts", "c.ts", false],
    ["a.ts", "axts", false],
    ["(x)+[y]", "(x)+[y]", true],
    ["{a", "{a", false],
    ["caf\u00e9", "cafe\u0301", true],
  ])("%s and %s: %s", (glob, path, expected) => {
    expect(globMatches(glob, path)).toBe(expected);
  });

  test("the glob of one path matches it and no other", () => {
    const name = fc.string({ unit: fc.constantFrom("a", "b", "*", "?", "{", "}", ",", "\\", "[", "(", "é", "🛶", "."), minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(name, name, (path, other) => {
        expect(globMatches(exactGlob(path), path)).toBe(true);
        expect(globMatches(exactGlob(path), other)).toBe(path.normalize("NFC") === other.normalize("NFC"));
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("a regular expression keeps nobody waiting", () => {
  test.each(["(a+)+$", "(a|a)+$", "(\\w|a)*b$", "(.*a){20}b", ".*a.*a.*a.*a.*b"])("%s says at once that it is not there, to an allow and to a deny", (pattern) => {
    const target = { tool: "*", pattern };
    expect(faultOfTarget(target)).toBeNull();
    const subject = { ...files("src/a.ts"), canonical: `${"a".repeat(2_000)}!` };
    const began = performance.now();
    expect([matches(target, "allow", subject), matches(target, "deny", subject)]).toEqual([false, false]);
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(matches(target, "allow", { ...subject, canonical: `${"a".repeat(2_000)}${pattern.includes("b") ? "b" : ""}` })).toBe(true);
  });

  test.each(["(?=a)b", "(a)\\1", "(?<!a)b", "a{9000}"])("%s cannot be made; one that is there allows nothing and denies in doubt", (pattern) => {
    const target = { tool: "*", pattern };
    expect(faultOfTarget(target)).toEqual({ code: "slow_expression", what: pattern });
    const subject = { ...files("src/a.ts"), canonical: "x" };
    expect([matches(target, "allow", subject), matches(target, "deny", subject)]).toEqual([false, true]);
  });

  test("a text that is too long is in doubt", () => {
    const target = { tool: "*", pattern: "x" };
    const subject = { ...files("src/a.ts"), canonical: "y".repeat(20_001) };
    expect([matches(target, "allow", { ...subject, canonical: `x${subject.canonical}` }), matches(target, "deny", subject), matches(target, "ask", subject)]).toEqual([false, true, true]);
  });
});

describe("row 1 of the wishes: always", () => {
  const past = [
    { call: "1", subject: files("src/a.ts"), summary: "Edit src/a.ts" },
    { call: "2", subject: files("src/b.ts"), summary: "Edit src/b.ts" },
    { call: "3", subject: files("docs/c.md"), summary: "Edit docs/c.md" },
    { call: "4", subject: command(["push"]), summary: "git push" },
    { call: "5", subject: command(["push", "--force"]), summary: "git push --force" },
  ];

  test("the narrowest is proposed first, with what else each would have let through", () => {
    expect(propose("1", files("src/a.ts"), past)).toEqual([
      { target: { tool: "fs_edit", workspace: "app", path: "src/a.ts" }, alsoMatches: [] },
      { target: { tool: "fs_edit", workspace: "app", path: "src/**" }, alsoMatches: [{ call: "2", summary: "Edit src/b.ts" }] },
    ]);
    expect(propose("4", command(["push"]), past).map(({ target, alsoMatches }) => [target.args, alsoMatches.map(({ call }) => call)])).toEqual([
      [["push"], []],
      [undefined, ["5"]],
    ]);
  });

  test("the first proposal matches its call, and nothing that differs in what it names", () => {
    const path = fc.string({ unit: fc.constantFrom("a", "*", "{", ",", "/", "?", "\\"), minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(fc.array(path, { minLength: 1, maxLength: 3 }), path, (paths, other) => {
        const [first] = propose("x", files(...paths), []);
        expect(matches(first?.target ?? { tool: "none" }, "allow", files(...paths))).toBe(true);
        expect(matches(first?.target ?? { tool: "none" }, "allow", files(other))).toBe(paths.includes(other));
      }),
      { numRuns: 500 },
    );
  });

  test("an argument that is a star is no wildcard by accident", () => {
    const [first] = propose("x", command(["*"]), []);
    expect(first?.target.args).toBeUndefined();
  });
});

describe("rules as they were stored", () => {
  const kept = { id: "r", effect: "allow", scope: "always", target: { tool: "fs_edit" }, createdAt: 1, uses: 0, lastUsedAt: null };

  test("an allow that cannot be read is gone; a deny that cannot be read makes everything ask", () => {
    expect(readRules([kept, { ...kept, target: {} }, { ...kept, id: "d", effect: "deny", target: 7 }, "nonsense"])).toMatchObject([
      { id: "r", effect: "allow" },
      { id: "d", effect: "ask", target: { tool: "*" } },
      { effect: "ask", target: { tool: "*" } },
    ]);
    expect(readRules(null)).toEqual([]);
  });

  test.each<[RuleTarget, string | null]>([
    [{ tool: "x", pattern: "(" }, "no_expression"],
    [{ tool: "x", args: ["a"] }, "args_without_command"],
    [{ tool: "x", command: "c", args: ["**", "a"] }, "rest_not_last"],
    [{ tool: "x", command: "c", args: ["a", "**"], pattern: "a+" }, null],
  ])("%j", (target, fault) => {
    expect(faultOfTarget(target)?.code ?? null).toBe(fault);
  });
});
