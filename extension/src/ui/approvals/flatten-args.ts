/**
 * The arguments of a call as fields, one for each value in them, so that a text is edited as text and not as a JSON string.
 *
 * Only values change here; what has another shape is edited as JSON.
 */
export type Leaf = string | number | boolean | null;

export interface ArgField {
  /** The way to it: names and places. */
  readonly path: readonly (string | number)[];
  /** `edits[0].new_text`. */
  readonly name: string;
  readonly value: Leaf;
}

export function flattenArgs(args: Readonly<Record<string, unknown>>): readonly ArgField[] {
  return fieldsOf(args, []);
}

function fieldsOf(value: unknown, path: readonly (string | number)[]): readonly ArgField[] {
  if (Array.isArray(value)) return value.flatMap((each, place) => fieldsOf(each, [...path, place]));
  if (typeof value === "object" && value !== null) return Object.entries(value).flatMap(([name, each]) => fieldsOf(each, [...path, name]));
  return [{ path, name: nameOf(path), value: value as Leaf }];
}

function nameOf(path: readonly (string | number)[]): string {
  return path.map((part, place) => (typeof part === "number" ? `[${part}]` : place === 0 ? part : `.${part}`)).join("");
}

/** The same arguments with one value changed. */
export function withValue(value: unknown, path: readonly (string | number)[], leaf: Leaf): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return leaf;
  if (Array.isArray(value)) return value.map((each: unknown, place) => (place === first ? withValue(each, rest, leaf) : each));
  return Object.fromEntries(Object.entries(value as object).map(([name, each]) => [name, name === first ? withValue(each, rest, leaf) : each]));
}

/** What was typed, as the kind of value that stood there; null where it is none. */
export function readLeaf(typed: string, before: Leaf): Leaf | undefined {
  if (typeof before === "string") return typed;
  try {
    const read: unknown = JSON.parse(typed);
    return typeof read === "object" && read !== null ? undefined : (read as Leaf);
  } catch {
    return undefined;
  }
}
