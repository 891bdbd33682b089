/** The addresses that calls ask for, which the browser must allow first, and whether it would not. */
import { useState } from "react";
import { originPattern } from "../../app/origins.ts";
import type { WaitingCall } from "./approval-card.tsx";
import type { CardActs } from "./card-acts.ts";

export interface Origins {
  /** As a person reads them. */
  asked: readonly string[];
  isRefused: boolean;
  /** Null: nothing has to be asked. Called in the press itself, before anything is awaited. */
  ask(calls: readonly string[]): Promise<boolean> | null;
}

export function useOrigins(calls: readonly WaitingCall[], acts: CardActs | undefined): Origins {
  const [isRefused, setRefused] = useState(false);
  const addresses = calls.flatMap(({ id, approval: { needsOrigin } }) => (needsOrigin == null ? [] : [{ id, address: needsOrigin }]));
  return {
    asked: [...new Set(addresses.map(({ address }) => originName(address)))],
    isRefused,
    ask: (allowed) => {
      const wanted = [...new Set(addresses.filter(({ id }) => allowed.includes(id)).map(({ address }) => address))];
      if (wanted.length === 0 || acts === undefined) return null;
      setRefused(false);
      return Promise.all(wanted.map(acts.requestOrigin)).then((granted) => {
        const all = granted.every(Boolean);
        setRefused(!all);
        return all;
      });
    },
  };
}

/** `https://example.org`: all that the browser is asked for, which has no port. */
export function originName(address: string): string {
  return originPattern(address)?.slice(0, -"/*".length) ?? address;
}
