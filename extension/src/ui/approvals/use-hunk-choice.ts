/**
 * Which changes of the plans are to be made: all, until one is left out.
 *
 * Offered where leaving one out means something: a plan of several hunks. The host narrows whatever it shows as hunks, a file that is
 * written whole as well: what is left out stays as it was.
 */
import { useState } from "react";
import type { Plan, PlannedFile } from "../../wire/plan.ts";
import { plannedFiles } from "./plan-parts.ts";

export interface HunkChoice {
  isOffered(plan: Plan): boolean;
  isChosen(plan: Plan, hunk: string): boolean;
  toggle(plan: Plan, hunk: string): void;
  setFile(plan: Plan, file: PlannedFile, chosen: boolean): void;
  /** The ids of what is chosen; null is the whole plan. */
  chosenOf(plan: Plan): readonly string[] | null;
  /** Its place among all changes of its plan, from 1. */
  placeOf(plan: Plan, hunk: string): { number: number; count: number };
}

export function useHunkChoice(): HunkChoice {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const isChosen = (plan: Plan, hunk: string) => !left.has(keyOf(plan, hunk));
  const set = (plan: Plan, hunks: readonly string[], chosen: boolean) => {
    const next = new Set(left);
    for (const hunk of hunks) {
      if (chosen) next.delete(keyOf(plan, hunk));
      else next.add(keyOf(plan, hunk));
    }
    setLeft(next);
  };
  return {
    isOffered: hasChoice,
    isChosen,
    toggle: (plan, hunk) => set(plan, [hunk], !isChosen(plan, hunk)),
    setFile: (plan, file, chosen) => set(plan, file.hunks.map(({ id }) => id), chosen),
    chosenOf: (plan) => {
      if (!hasChoice(plan)) return null;
      const all = hunkIds(plan);
      const chosen = all.filter((hunk) => isChosen(plan, hunk));
      return chosen.length === all.length ? null : chosen;
    },
    placeOf: (plan, hunk) => ({ number: hunkIds(plan).indexOf(hunk) + 1, count: hunkIds(plan).length }),
  };
}

export function hasChoice(plan: Plan): boolean {
  if (plan.preview.kind !== "files") return false;
  const { files } = plan.preview;
  return hunkIds(plan).length > 1 && files.every((file) => file.hunks.length > 0);
}

export function hunkIds(plan: Plan): readonly string[] {
  return plannedFiles(plan).flatMap((file) => file.hunks.map(({ id }) => id));
}

function keyOf(plan: Plan, hunk: string): string {
  return `${plan.id}:${hunk}`;
}
