/**
 * What a person chose or typed on a card and has not sent yet: going to another screen and back loses nothing.
 *
 * Kept by what it belongs to, as drafts are by their session; `use-kept-cards.ts` keeps it beyond this page.
 */
import { useCallback, useState, useSyncExternalStore } from "react";

const kept = new Map<string, Map<string, unknown>>();
/** Where each of them was written: the session that was looked at. */
const homes = new Map<string, string>();
const listeners = new Set<() => void>();
let home: string | null = null;
let version = 0;

export function readKept(owner: string, name: string): unknown {
  return kept.get(owner)?.get(name);
}

export function keep(owner: string, name: string, value: unknown): void {
  const own = kept.get(owner) ?? new Map<string, unknown>();
  kept.set(owner, own.set(name, value));
  if (home !== null && !homes.has(owner)) homes.set(owner, home);
  tell();
}

/** Without an owner: everything. */
export function forgetKept(owner?: string): void {
  if (owner === undefined) {
    kept.clear();
    homes.clear();
  } else {
    kept.delete(owner);
    homes.delete(owner);
  }
  tell();
}

/** What is kept from now on is of this session. */
export function keepIn(session: string | null): void {
  home = session;
}

export function forgetIn(session: string): void {
  for (const owner of ownersIn(session)) forgetKept(owner);
}

/** All that is kept of a session, for a store; null is nothing. */
export function packKept(session: string): string | null {
  const packed = ownersIn(session).map((owner) => [owner, [...(kept.get(owner) ?? [])]]);
  return packed.length === 0 ? null : JSON.stringify(packed, (_key, value: unknown) => (value instanceof Set ? { [SET]: [...value] } : value));
}

/** As it was kept elsewhere, but not over what was chosen here. What does not read as such is nothing. */
export function unpackKept(session: string, packed: string): void {
  let owners: unknown;
  try {
    owners = JSON.parse(packed, (_key, value: unknown) => (typeof value === "object" && value !== null && SET in value && Array.isArray(value[SET]) ? new Set(value[SET]) : value));
  } catch {
    return;
  }
  const fresh = (Array.isArray(owners) ? owners : []).filter((each): each is [string, [string, unknown][]] => Array.isArray(each) && typeof each[0] === "string" && Array.isArray(each[1]) && !kept.has(each[0]));
  if (fresh.length === 0) return;
  for (const [owner, values] of fresh) {
    kept.set(owner, new Map(values));
    homes.set(owner, session);
  }
  version += 1;
  tell();
}

/** Another one each time something came from elsewhere: what was drawn without it is drawn anew. */
export function useKeptVersion(): number {
  return useSyncExternalStore(listenKept, () => version);
}

export function listenKept(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
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

/** JSON has no sets. */
const SET = "\u0000set";

function ownersIn(session: string): readonly string[] {
  return [...homes].flatMap(([owner, where]) => (where === session ? [owner] : []));
}

function tell(): void {
  for (const listener of [...listeners]) listener();
}
