/** Which parts of the plans are open now, and which were never opened. */
import { useState } from "react";
import type { Plan } from "../../wire/plan.ts";
import { useKept } from "../common/use-kept.ts";
import { planParts } from "./plan-parts.ts";

export interface OpenedParts {
  isOpen(id: string): boolean;
  toggle(id: string): void;
  openAll(): void;
  /** Parts nobody has looked at; Allow waits for this to be 0. */
  unread: number;
}

export function useOpenedParts(card: string, plans: readonly Plan[]): OpenedParts {
  const [parts] = useState(() => planParts(plans));
  const initiallyOpen = () => new Set(parts.filter((part) => part.startsOpen).map((part) => part.id));
  const [open, setOpen] = useKept(card, "open", initiallyOpen);
  const [seen, setSeen] = useKept(card, "seen", initiallyOpen);
  const all = () => new Set(parts.map((part) => part.id));
  return {
    isOpen: (id) => open.has(id),
    toggle: (id) => {
      const next = new Set(open);
      if (!next.delete(id)) next.add(id);
      setOpen(next);
      setSeen(new Set([...seen, id]));
    },
    openAll: () => {
      setOpen(all());
      setSeen(all());
    },
    unread: parts.filter((part) => !seen.has(part.id)).length,
  };
}
