// Rows 19, 72 (user wishes 1, 16; ancestor faults 14, 15): the order of decisions, and what no order may break.
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Rule } from "../wire/rule.ts";
import { decide, decideRead, isDeniedEverywhere, type Circumstances } from "./decide.ts";
import type { Lease } from "./lease.ts";
import type { Subject } from "./subject.ts";

const NOW = 1_000_000;
const edit: Subject = { tool: "fs_edit", workspace: "app", paths: ["src/a.ts"], command: null, args: [], canonical: '{"path":"src/a.ts"}', origin: "session" };
const lease: Lease = { id: "l", tiers: ["batch", "individual"], grantedAt: 0, until: NOW + 1, calls: null, costUsd: null, used: 0, spentUsd: 0, unpriced: false, revoked: false };

function rule(effect: Rule["effect"], target: Rule["target"] = { tool: "*" }, more: Partial<Rule> = {}): Rule {
  return { id: `${effect}-1`, effect, scope: "always", target, createdAt: 0, uses: 0, lastUsedAt: null, ...more };
}

function given(more: Partial<Circumstances> = {}): Circumstances {
  return { mode: "ask", rules: [], leases: [], taint: [], turn: "t", now: NOW, ...more };
}

describe("row 19: the order", () => {
  test.each<[string, Circumstances, "auto" | "batch" | "individual", string, string]>([
    ["ask mode asks for the batch tier", given(), "batch", "ask", "tier:batch"],
    ["ask mode asks for the individual tier", given(), "individual", "ask", "tier:individual"],
    ["accepted edits run", given({ mode: "accept_edits" }), "batch", "allow", "rule:accept_edits"],
    ["accepted edits are no accepted commands", given({ mode: "accept_edits" }), "individual", "ask", "tier:individual"],
    ["a plan of the lowest tier is strange: doubt asks", given({ mode: "accept_edits" }), "auto", "ask", "tier:auto"],
    ["an allow rule runs", given({ rules: [rule("allow")] }), "individual", "allow", "rule:allow-1"],
    ["always-ask beats allow", given({ rules: [rule("allow"), rule("ask")] }), "batch", "ask", "rule:ask-1"],
    ["always-ask beats the mode", given({ mode: "accept_edits", rules: [rule("ask")] }), "batch", "ask", "rule:ask-1"],
    ["deny beats both", given({ rules: [rule("allow"), rule("ask"), rule("deny")] }), "batch", "deny", "rule:deny-1"],
    ["a lease runs", given({ leases: [lease] }), "individual", "allow", "lease:l"],
    ["a lease that is over does not", given({ leases: [{ ...lease, until: NOW }] }), "individual", "ask", "tier:individual"],
    ["nor one whose calls are used up", given({ leases: [{ ...lease, calls: 3, used: 3 }] }), "individual", "ask", "tier:individual"],
    ["nor one whose money is spent", given({ leases: [{ ...lease, costUsd: 1, spentUsd: 1 }] }), "individual", "ask", "tier:individual"],
    ["nor one with a limit in money after something of unknown price", given({ leases: [{ ...lease, costUsd: 1, unpriced: true }] }), "individual", "ask", "tier:individual"],
    ["one without such a limit does", given({ leases: [{ ...lease, unpriced: true }] }), "individual", "allow", "lease:l"],
    ["nor a revoked one", given({ leases: [{ ...lease, revoked: true }] }), "individual", "ask", "tier:individual"],
    ["nor one from the future of a clock that went back", given({ leases: [{ ...lease, grantedAt: NOW + 1 }] }), "individual", "ask", "tier:individual"],
    ["nor one for another tier", given({ leases: [{ ...lease, tiers: ["batch"] }] }), "individual", "ask", "tier:individual"],
    ["in plan mode nothing runs by rule or lease", given({ mode: "plan", rules: [rule("allow")], leases: [lease] }), "batch", "ask", "tier:batch"],
    ["a rule of another turn is no rule", given({ rules: [rule("allow", { tool: "*" }, { scope: "turn", turn: "other" })] }), "batch", "ask", "tier:batch"],
    ["strangers' text makes an allow rule ask", given({ rules: [rule("allow")], taint: ["example.org"] }), "batch", "ask", "taint"],
    ["and a lease", given({ leases: [lease], taint: ["example.org"] }), "batch", "ask", "taint"],
    ["and accepted edits", given({ mode: "accept_edits", taint: ["example.org"] }), "batch", "ask", "taint"],
  ])("%s", (_name, circumstances, tier, decision, by) => {
    expect(decide(edit, tier, circumstances)).toMatchObject({ decision, by });
  });

  test("a read runs, unless a rule asks or denies", () => {
    expect(decideRead(edit, given())).toMatchObject({ decision: "allow" });
    expect(decideRead(edit, given({ rules: [rule("ask", { tool: "fs_edit", path: "src/**" })] }))).toMatchObject({ decision: "ask" });
    expect(decideRead(edit, given({ rules: [rule("deny", { tool: "*", path: "SRC/a.ts" })] }))).toMatchObject({ decision: "deny" });
  });

  test("what is denied everywhere is not offered; what is denied somewhere is", () => {
    expect(isDeniedEverywhere("exec_run", "app", [rule("deny", { tool: "exec_run" })])).toBe(true);
    expect(isDeniedEverywhere("exec_run", "app", [rule("deny", { tool: "*" })])).toBe(true);
    expect(isDeniedEverywhere("exec_run", "app", [rule("deny", { tool: "exec_run", workspace: "app" })])).toBe(true);
    for (const narrow of [{ command: "rm" }, { path: "a" }, { pattern: "x" }, { workspace: "other" }, { origin: "schedule" as const }]) {
      expect(isDeniedEverywhere("exec_run", "app", [rule("deny", { tool: "exec_run", ...narrow })])).toBe(false);
    }
    expect(isDeniedEverywhere("exec_run", "app", [rule("ask", { tool: "exec_run" })])).toBe(false);
  });
});

const token = fc.constantFrom("a", "b", "*", "**", "src", ".env");
const target = fc.record(
  {
    tool: fc.constantFrom("*", "fs_edit", "exec_run"),
    workspace: fc.constantFrom("app", "other"),
    path: fc.constantFrom("**", "src/**", "src/*", "*.ts", "SRC/A.TS", "src/{a,b}.ts"),
    command: fc.constantFrom("test", "deploy"),
    args: fc.array(token, { maxLength: 3 }),
    pattern: fc.constantFrom(".", "path", "(", "^$"),
    origin: fc.constantFrom("session" as const, "schedule" as const),
  },
  { requiredKeys: ["tool"] },
);
const rules = fc.array(
  fc.record({ id: fc.uuid(), effect: fc.constantFrom("deny" as const, "ask" as const, "allow" as const), scope: fc.constantFrom("always" as const, "session" as const), target, createdAt: fc.constant(0), uses: fc.constant(0), lastUsedAt: fc.constant(null) }),
  { maxLength: 6 },
);
const subject = fc.record({
  tool: fc.constantFrom("fs_edit", "exec_run", "fs_delete"),
  workspace: fc.constantFrom("app", "other", null),
  paths: fc.array(fc.constantFrom("src/a.ts", "src/deep/b.ts", "x", ".env"), { maxLength: 3 }),
  command: fc.constantFrom("test", "deploy", null),
  args: fc.array(token, { maxLength: 3 }),
  canonical: fc.constantFrom("{}", '{"path":"src/a.ts"}'),
  origin: fc.constantFrom("session" as const, "schedule" as const),
});
const tier = fc.constantFrom("auto" as const, "batch" as const, "individual" as const);
const mode = fc.constantFrom("plan" as const, "ask" as const, "accept_edits" as const);
const leases = fc.constantFrom([], [lease]);
const STRICTNESS = { deny: 2, ask: 1, allow: 0 } as const;

describe("what no order may break", () => {
  test("a deny that matches is never beaten, whatever stands beside it", () => {
    fc.assert(
      fc.property(subject, tier, mode, rules, leases, (call, level, how, some, granted) => {
        const denied: readonly Rule[] = [...some, rule("deny", { tool: call.tool })];
        expect(decide(call, level, given({ mode: how, rules: denied, leases: granted })).decision).toBe("deny");
        expect(decideRead(call, given({ mode: how, rules: denied, leases: granted })).decision).toBe("deny");
      }),
      { numRuns: 500 },
    );
  });

  test("the strictest wins: one more deny or ask never makes anything freer, in any place of the list", () => {
    fc.assert(
      fc.property(subject, tier, mode, rules, leases, target, fc.constantFrom("deny" as const, "ask" as const), fc.nat(6), (call, level, how, some, granted, more, effect, place) => {
        const before = decide(call, level, given({ mode: how, rules: some, leases: granted }));
        const after = decide(call, level, given({ mode: how, rules: (some as readonly Rule[]).toSpliced(place, 0, rule(effect, more)), leases: granted }));
        expect(STRICTNESS[after.decision]).toBeGreaterThanOrEqual(STRICTNESS[before.decision]);
      }),
      { numRuns: 1_000 },
    );
  });

  test("the order in which rules were made changes nothing but who is named", () => {
    fc.assert(
      fc.property(subject, tier, mode, rules, leases, (call, level, how, some, granted) => {
        const one = decide(call, level, given({ mode: how, rules: some, leases: granted }));
        const other = decide(call, level, given({ mode: how, rules: some.toReversed(), leases: granted }));
        expect(other.decision).toBe(one.decision);
      }),
    );
  });

  test("strangers' text never makes anything freer, and lets nothing run by itself", () => {
    fc.assert(
      fc.property(subject, tier, mode, rules, leases, (call, level, how, some, granted) => {
        expect(decide(call, level, given({ mode: how, rules: some, leases: granted, taint: ["example.org"] })).decision).not.toBe("allow");
      }),
    );
  });

  test("without a rule, a lease or accepted edits nothing that asks runs", () => {
    fc.assert(
      fc.property(subject, tier, fc.constantFrom("plan" as const, "ask" as const), rules, (call, level, how, some) => {
        const strict = some.filter(({ effect }) => effect !== "allow");
        expect(decide(call, level, given({ mode: how, rules: strict })).decision).not.toBe("allow");
      }),
    );
  });
});
