// Whether two values say the same, key by key: as Node's own does it, and wherever there is no Node.

export function isSame(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (Object.getPrototypeOf(left) !== Object.getPrototypeOf(right)) return false;
  const keys = Object.keys(left);
  return keys.length === Object.keys(right).length && keys.every((key) => Object.hasOwn(right, key) && isSame((left as Fields)[key], (right as Fields)[key]));
}

type Fields = Readonly<Record<string, unknown>>;
