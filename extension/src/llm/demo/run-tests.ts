// Runs the tests of a small project by reading them: the demo model's understanding of `node --test`.
import { parse } from "acorn";
import { canonical } from "../../lib/canonical.ts";
import { evaluateModule, Thrown, Unsupported, type Bindings, type Callable } from "./evaluate.ts";

export interface TestRun {
  readonly passed: readonly string[];
  readonly failed: readonly { readonly name: string; readonly why: string }[];
}

/** Runs every test file against the sources. Throws `Unsupported` or a syntax error where it cannot follow. */
export function runTests(files: ReadonlyMap<string, string>): TestRun {
  const passed: string[] = [];
  const failed: { name: string; why: string }[] = [];
  const test = (name: unknown, second: unknown, third: unknown) => {
    const body = (typeof second === "function" ? second : third) as Callable | undefined;
    try {
      body?.();
      passed.push(String(name));
    } catch (error) {
      if (error instanceof Thrown) failed.push({ name: String(name), why: whyOf(error.value) });
      else throw error;
    }
  };
  const describe = (_name: unknown, body: unknown) => (body as Callable)();
  const modules = new Map<string, Bindings>([
    ["node:test", new Map<string, unknown>([["default", test], ["test", test], ["it", test], ["describe", describe], ["suite", describe]])],
    ["node:assert", assertModule()],
    ["node:assert/strict", assertModule()],
    ["assert", assertModule()],
    ["assert/strict", assertModule()],
  ]);
  const load = (path: string): Bindings => {
    const known = modules.get(path);
    if (known !== undefined) return known;
    const text = files.get(path);
    if (text === undefined) throw new Unsupported(`the module ${path}`);
    const program = parse(text, { ecmaVersion: "latest", sourceType: "module" });
    const loaded = evaluateModule(program, (specifier) => load(specifier.startsWith(".") ? resolvePath(path, specifier) : specifier));
    modules.set(path, loaded);
    return loaded;
  };
  for (const path of files.keys()) {
    if (isTestFile(path)) load(path);
  }
  return { passed, failed };
}

export function isTestFile(path: string): boolean {
  return /\.test\.[cm]?js$/.test(path);
}

export function resolvePath(from: string, specifier: string): string {
  const parts = from.split("/").slice(0, -1);
  for (const part of specifier.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== ".") parts.push(part);
  }
  return parts.join("/");
}

function assertModule(): Bindings {
  const fail = (why: string): never => {
    throw new Thrown(why);
  };
  const same = (left: unknown, right: unknown) => (Object.is(left, right) ? undefined : fail(`${show(left)} is not ${show(right)}`));
  const deep = (left: unknown, right: unknown) => (show(left) === show(right) ? undefined : fail(`${show(left)} is not ${show(right)}`));
  const ok = (value: unknown) => (value ? undefined : fail("it is not true"));
  const throws = (body: unknown) => {
    try {
      (body as Callable)();
    } catch (error) {
      if (error instanceof Thrown) return;
      throw error;
    }
    fail("nothing was thrown");
  };
  const names = { equal: same, strictEqual: same, deepEqual: deep, deepStrictEqual: deep, ok, throws, notEqual: (left: unknown, right: unknown) => ok(!Object.is(left, right)) };
  const assert = Object.assign(Object.create(null), { ...names, strict: undefined }) as Record<string, unknown>;
  return new Map<string, unknown>([["default", assert], ["strict", assert], ["ok", ok], ...Object.entries(names)]);
}

function show(value: unknown): string {
  return typeof value === "number" && Number.isNaN(value) ? "NaN" : canonical(value);
}

function whyOf(value: unknown): string {
  if (typeof value === "object" && value !== null && "message" in value) return String(value.message);
  return typeof value === "string" ? value : show(value);
}
