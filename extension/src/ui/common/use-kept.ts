/**
 * What a person chose or typed and has not sent yet, for as long as the panel is open: going to another screen and back loses nothing.
 *
 * Kept by what it belongs to, as drafts are by their session.
 */
import { useCallback, useState } from "react";

const kept = new Map<string, Map<string, unknown>>();

export function readKept(owner: string, name: string): unknown {
  return kept.get(owner)?.get(name);
}

export function keep(owner: string, name: string, value: unknown): void {
  const own = kept.get(owner) ?? new Map<string, unknown>();
  kept.set(owner, own.set(name, value));
}

/** Without an owner: everything. */
export function forgetKept(owner?: string): void {
  if (owner === undefined) kept.clear();
  else kept.delete(owner);
}

/** As `useState`; whoever is drawn for another owner has a key of its own. */
export function useKept<Value>(owner: string, name: string, initial: () => Value): [Value, (next: Value) => void] {
  const [value, setValue] = useState<Value>(() => {
    const before = readKept(owner, name);
    return before === undefined ? initial() : (before as Value);
  });
  const set = useCallback(
    (next: Value) => {
      keep(owner, name, next);
      setValue(next);
    },
    [owner, name],
  );
  return [value, set];
}
