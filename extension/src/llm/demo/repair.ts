// Finds the one small change of the sources after which every test passes, by trying changes and running the tests.
import { parse, type AnyNode } from "acorn";
import { isTestFile, runTests, type TestRun } from "./run-tests.ts";

export interface Repair {
  readonly path: string;
  /** The line as it is, and as it should be. */
  readonly oldText: string;
  readonly newText: string;
  readonly line: number;
  /** The tests that fail before, and why. */
  readonly failing: TestRun["failed"];
}

interface Change {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Null: the tests pass, cannot be followed, or no single change mends them. */
export function findRepair(files: ReadonlyMap<string, string>): Repair | null {
  const before = tryTests(files);
  if (before === null || before.failed.length === 0) return null;
  for (const [path, text] of files) {
    if (isTestFile(path) || !/\.[cm]?js$/.test(path)) continue;
    // What changes least is tried first: an operator before a condition turned round.
    for (const change of [...changesOf(text)].toSorted((left, right) => sizeOf(left) - sizeOf(right))) {
      const changed = text.slice(0, change.start) + change.text + text.slice(change.end);
      const after = tryTests(new Map(files).set(path, changed));
      if (after !== null && after.failed.length === 0 && after.passed.length >= before.passed.length + before.failed.length) {
        return { path, failing: before.failed, ...lineOf(text, changed, change.start) };
      }
    }
  }
  return null;
}

export function tryTests(files: ReadonlyMap<string, string>): TestRun | null {
  try {
    return runTests(files);
  } catch {
    return null;
  }
}

function sizeOf({ start, end, text }: Change): number {
  return end - start + text.length;
}

const OPERATORS: Readonly<Record<string, readonly string[]>> = {
  "+": ["-", "*"],
  "-": ["+", "*", "/"],
  "*": ["+", "/", "-"],
  "/": ["*", "-", "%"],
  "%": ["/", "*"],
  "<": ["<=", ">"],
  "<=": ["<", ">="],
  ">": [">=", "<"],
  ">=": [">", "<="],
  "===": ["!=="],
  "!==": ["==="],
  "&&": ["||"],
  "||": ["&&", "??"],
  "+=": ["-=", "*="],
  "-=": ["+="],
  "*=": ["+="],
};

const NAMES: Readonly<Record<string, readonly string[]>> = {
  min: ["max"],
  max: ["min"],
  floor: ["ceil", "round"],
  ceil: ["floor", "round"],
  round: ["floor", "ceil"],
  toUpperCase: ["toLowerCase"],
  toLowerCase: ["toUpperCase"],
  shift: ["pop"],
  pop: ["shift"],
  push: ["unshift"],
  unshift: ["push"],
  some: ["every"],
  every: ["some"],
  startsWith: ["endsWith"],
  endsWith: ["startsWith"],
  trimStart: ["trim"],
  trimEnd: ["trim"],
};

function* changesOf(text: string): Iterable<Change> {
  let program: AnyNode;
  try {
    program = parse(text, { ecmaVersion: "latest", sourceType: "module" });
  } catch {
    return;
  }
  for (const node of nodesIn(program)) {
    switch (node.type) {
      case "BinaryExpression":
      case "LogicalExpression":
      case "AssignmentExpression": {
        const start = text.indexOf(node.operator, node.left.end);
        for (const other of OPERATORS[node.operator] ?? []) yield { start, end: start + node.operator.length, text: other };
        if (node.type === "BinaryExpression" && (node.operator === "-" || node.operator === "/")) {
          // The two sides the other way round.
          const left = text.slice(node.left.start, node.left.end);
          const right = text.slice(node.right.start, node.right.end);
          yield { start: node.start, end: node.end, text: `${right} ${node.operator} ${left}` };
        }
        break;
      }
      case "Literal":
        if (typeof node.value === "number" && Number.isInteger(node.value)) {
          for (const other of [node.value + 1, node.value - 1, node.value * 10, node.value / 10]) yield { start: node.start, end: node.end, text: String(other) };
        } else if (typeof node.value === "boolean") {
          yield { start: node.start, end: node.end, text: String(!node.value) };
        }
        break;
      case "MemberExpression":
        if (!node.computed && node.property.type === "Identifier") {
          const { start, end, name } = node.property;
          for (const other of NAMES[name] ?? []) yield { start, end, text: other };
        }
        break;
      case "UnaryExpression":
        if (node.operator === "!") yield { start: node.start, end: node.argument.start, text: "" };
        break;
      case "IfStatement":
      case "ConditionalExpression":
        yield { start: node.test.start, end: node.test.end, text: `!(${text.slice(node.test.start, node.test.end)})` };
        break;
    }
  }
}

function* nodesIn(node: AnyNode): Iterable<AnyNode> {
  yield node;
  for (const child of Object.values(node)) {
    for (const each of Array.isArray(child) ? (child as unknown[]) : [child]) {
      if (typeof each === "object" && each !== null && "type" in each && "start" in each) yield* nodesIn(each as AnyNode);
    }
  }
}

function lineOf(before: string, after: string, place: number): { oldText: string; newText: string; line: number } {
  const start = before.lastIndexOf("\n", place - 1) + 1;
  const endOf = (text: string) => (text.indexOf("\n", place) === -1 ? text.length : text.indexOf("\n", place));
  return {
    oldText: before.slice(start, endOf(before)),
    newText: after.slice(start, endOf(after)),
    line: before.slice(0, start).split("\n").length,
  };
}
