// The demo model on real folders with real tests: it must find bugs it was never told of.
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { SessionLog } from "../../agent/log.ts";
import { FakeHost } from "../../testing/fake-host.ts";
import { FakeWorld } from "../../testing/fake-world.ts";
import { folderTools, run } from "../../testing/folder-tools.ts";
import { demoModel } from "./demo.ts";
import { findRepair, tryTests } from "./repair.ts";

const SUM = {
  "package.json": '{ "name": "sample", "type": "module", "scripts": { "test": "node --test" } }\n',
  "src/cart.mjs": [
    "// Prices are in cents.",
    "export function total(items) {",
    "  return items.reduce((sum, item) => sum + item.price - item.quantity, 0);",
    "}",
    "",
    "export const isFree = (items) => total(items) >= 5000;",
    "",
  ].join("\n"),
  "test/cart.test.mjs": [
    'import assert from "node:assert/strict";',
    'import { test } from "node:test";',
    'import { isFree, total } from "../src/cart.mjs";',
    "",
    'test("multiplies price and quantity", () => {',
    "  const items = [{ price: 250, quantity: 2 }, { price: 100, quantity: 1 }];",
    "  assert.equal(total(items), 600);",
    "});",
    "",
    'test("shipping is free from 50", () => {',
    "  assert.equal(isFree([{ price: 5000, quantity: 1 }]), true);",
    "  assert.equal(isFree([{ price: 4999, quantity: 1 }]), false);",
    "});",
    "",
  ].join("\n"),
} as const;

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function folderOf(files: Readonly<Record<string, string>>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "demo-"));
  folders.push(root);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  for (const args of [["init", "-q"], ["add", "."], ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-qm", "first"]]) await run("git", args, root);
  return root;
}

function asked(log: SessionLog) {
  return log.turns.flatMap((turn) => turn.steps).flatMap((step) => step.calls).filter((call) => call.state === "asked");
}

async function work(root: string, text: string, decide: (tool: string) => "allow" | "deny") {
  const world = new FakeWorld(demoModel(0), new FakeHost().add(...folderTools(root)));
  const session = await world.engine.startSession(text);
  for (;;) {
    const log = await world.until(session, (each) => (each.turns.at(-1)?.outcome ?? null) !== null || asked(each).length > 0);
    const cards = asked(log);
    if (cards.length === 0) return log;
    await world.engine.answers.approval(
      session,
      cards.map((call) => ({ call: call.id, plan: call.asked?.plan.id ?? "", digest: call.asked?.plan.digest ?? "", decision: decide(call.tool), note: "please not" })),
    );
  }
}

describe("the demo model", () => {
  test("reads, tests, edits, tests again and commits", async () => {
    const root = await folderOf(SUM);
    expect((await run(process.execPath, ["--test"], root)).code).not.toBe(0);
    const log = await work(root, "Fix the failing test, please.", () => "allow");
    const tools = log.turns[0]?.steps.flatMap((step) => step.calls).map((call) => call.tool);
    expect(tools).toEqual(["workspace_info", "fs_list", "search_glob", "fs_read", "fs_read", "fs_read", "exec_run", "fs_edit", "exec_run", "git_status", "git_diff", "git_add", "git_commit"]);
    expect(log.turns[0]?.outcome).toBe("complete");
    expect(await readFile(join(root, "src/cart.mjs"), "utf8")).toContain("sum + item.price * item.quantity");
    expect((await run(process.execPath, ["--test"], root)).code).toBe(0);
    expect((await run("git", ["log", "--oneline"], root)).output.trim().split("\n")).toHaveLength(2);
  });

  test("a denied edit is not tried another way", async () => {
    const root = await folderOf(SUM);
    const log = await work(root, "fix the bug", (tool) => (tool === "fs_edit" ? "deny" : "allow"));
    expect(log.turns[0]?.outcome).toBe("complete");
    expect(log.turns[0]?.steps.at(-1)?.text).toContain("please not");
    expect(await readFile(join(root, "src/cart.mjs"), "utf8")).toBe(SUM["src/cart.mjs"]);
  });

  test("where every test passes there is nothing to fix", async () => {
    const root = await folderOf({ ...SUM, "src/cart.mjs": SUM["src/cart.mjs"].replace("price -", "price *") });
    const log = await work(root, "fix the failing test", () => "allow");
    expect(log.turns[0]?.steps.at(-1)?.text).toBe("Every test passes; there is nothing to fix.");
  });

  test("says what it is when asked something else", async () => {
    const root = await folderOf(SUM);
    const log = await work(root, "Write me a poem", () => "allow");
    expect(log.turns[0]?.steps.at(-1)?.text).toContain("demo model");
  });
});

describe("finding a repair", () => {
  const cases: readonly (readonly [name: string, source: string, body: string, fixed: string])[] = [
    ["a wrong comparison", "export function grade(points) {\n  if (points > 50) {\n    return 'pass';\n  }\n  return 'fail';\n}\n", "assert.equal(f.grade(50), 'pass'); assert.equal(f.grade(49), 'fail'); assert.equal(f.grade(80), 'pass');", "points >= 50"],
    ["an off-by-one loop", "export const last = (list) => list[list.length - 2];\n", "assert.equal(f.last([1, 2, 3]), 3);", "list.length - 1"],
    ["a wrong method", "export const highest = (list) => Math.min(...list);\n", "assert.equal(f.highest([1, 9, 4]), 9);", "Math.max"],
    ["a wrong order", "export const sorted = (list) => [...list].sort((a, b) => b - a);\n", "assert.deepEqual(f.sorted([3, 1, 2]), [1, 2, 3]);", "a - b"],
    ["a loop's start", "export function sum(list) {\n  let total = 1;\n  for (const item of list) total += item;\n  return total;\n}\n", "assert.equal(f.sum([1, 2]), 3); assert.equal(f.sum([]), 0);", "let total = 0"],
    ["a thrown error", "export function div(a, b) {\n  if (b !== 0) throw new Error('no');\n  return a / b;\n}\n", "assert.equal(f.div(6, 3), 2); assert.throws(() => f.div(1, 0));", "b === 0"],
  ];
  test.each(cases)("%s", (_name, source, body, fixed) => {
    const files = new Map([
      ["src/f.mjs", source],
      ["test/f.test.mjs", `import assert from "node:assert/strict";\nimport test from "node:test";\nimport * as f from "../src/f.mjs";\ntest("works", () => { ${body} });\n`],
    ]);
    expect(findRepair(files)?.newText).toContain(fixed);
  });

  test.each([
    "[].constructor.constructor('return this')()",
    "({}).__proto__.polluted = 1",
    "globalThis.fetch('https://example.org')",
    "(() => {}).constructor('return 1')()",
    "'x'.repeat(1e9)",
    "while (true) {}",
    "Math.max.constructor",
    "Math.max = 1",
  ])("hostile code gets nowhere: %s", (code) => {
    const files = new Map([["a.test.mjs", `import test from "node:test";\ntest("x", () => { ${code}; });\n`]]);
    expect(tryTests(files)?.failed.length ?? 1).toBe(code === "Math.max = 1" ? 0 : 1);
    expect(Math.max(1, 2)).toBe(2);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});
