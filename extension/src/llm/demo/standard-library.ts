// What the demo's evaluator knows of JavaScript's library: a fixed list, each entry safe to give to untrusted code.

/** Longer lists and texts are not built: they would only fill memory. */
const MOST = 100_000;

export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

const ARRAY_METHODS = new Set([
  "at", "concat", "every", "fill", "filter", "find", "findIndex", "findLast", "flat", "flatMap", "forEach", "includes", "indexOf",
  "join", "lastIndexOf", "map", "pop", "push", "reduce", "reverse", "shift", "slice", "some", "sort", "splice", "toReversed", "toSorted", "unshift", "with",
]);

const STRING_METHODS = new Set([
  "at", "charAt", "charCodeAt", "concat", "endsWith", "includes", "indexOf", "lastIndexOf", "padEnd", "padStart", "repeat", "replace", "replaceAll",
  "slice", "split", "startsWith", "substring", "toLowerCase", "toString", "toUpperCase", "trim", "trimEnd", "trimStart",
]);

export function callArrayMethod(target: readonly unknown[], name: string, args: readonly unknown[]): unknown {
  if (!ARRAY_METHODS.has(name) || target.length > MOST) throw new TypeError(`unsupported: ${name}`);
  const method = Reflect.get(Array.prototype, name) as (...args: readonly unknown[]) => unknown;
  return Reflect.apply(method, target, args);
}

export function callStringMethod(target: string, name: string, args: readonly unknown[]): unknown {
  const grows = name === "repeat" || name === "padStart" || name === "padEnd";
  if (!STRING_METHODS.has(name) || (grows && target.length * Math.max(1, Number(args[0])) > MOST)) throw new TypeError(`unsupported: ${name}`);
  const method = Reflect.get(String.prototype, name) as (...args: readonly unknown[]) => unknown;
  return Reflect.apply(method, target, args);
}

export const numberMethods: Readonly<Record<string, (value: number, args: readonly unknown[]) => unknown>> = {
  toFixed: (value, [digits]) => value.toFixed(Number(digits ?? 0)),
  toString: (value: number) => String(value),
};

function library(entries: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.assign(Object.create(null), entries) as Record<string, unknown>;
}

function ownEntries(value: unknown): [string, unknown][] {
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

export const standardGlobals: Readonly<Record<string, unknown>> = {
  Infinity,
  NaN,
  Math: library({
    PI: Math.PI,
    E: Math.E,
    abs: Math.abs,
    ceil: Math.ceil,
    floor: Math.floor,
    round: Math.round,
    trunc: Math.trunc,
    sign: Math.sign,
    sqrt: Math.sqrt,
    min: Math.min,
    max: Math.max,
    hypot: Math.hypot,
  }),
  Number: (value: unknown) => Number(value),
  String: (value: unknown) => String(value),
  Boolean: (value: unknown) => Boolean(value),
  isNaN: (value: unknown) => Number.isNaN(Number(value)),
  parseInt: (value: unknown, radix?: unknown) => Number.parseInt(String(value), Number(radix ?? 10)),
  parseFloat: (value: unknown) => Number.parseFloat(String(value)),
  Array: library({ isArray: (value: unknown) => Array.isArray(value), of: (...items: readonly unknown[]) => items }),
  Object: library({
    keys: (value: unknown) => ownEntries(value).map(([key]) => key),
    values: (value: unknown) => ownEntries(value).map(([, item]) => item),
    entries: (value: unknown) => ownEntries(value),
  }),
};
