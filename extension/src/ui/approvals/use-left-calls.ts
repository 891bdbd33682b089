/** Which calls of a card are left out: none, until one is. Kept by call, so that it stays left out on whatever card it comes next. */
import { useState } from "react";
import { keep, readKept } from "../common/use-kept.ts";

const NAME = "unticked";

export function useLeftCalls(calls: readonly { readonly id: string }[]): [ReadonlySet<string>, (call: string) => void] {
  const [left, setLeft] = useState<ReadonlySet<string>>(() => new Set(calls.map(({ id }) => id).filter((id) => readKept(id, NAME) === true)));
  const toggle = (id: string) => {
    const next = new Set(left);
    if (!next.delete(id)) next.add(id);
    keep(id, NAME, next.has(id));
    setLeft(next);
  };
  return [left, toggle];
}
