/**
 * Which changes of the plans are to be made: all, until one is left out.
 *
 * Offered where leaving one out means something: a plan of several hunks, or of a hunk and a file without one. The host narrows whatever it shows as hunks, a file that is
 * written whole as well: what is left out stays as it was. What was left out never comes back by itself: it is kept by its call, and
 * where a plan of another content follows, the same files begin left out.
 */
import { useMemo, useState } from "react";
import type { Plan, PlannedFile } from "../../wire/plan.ts";
import { keep, readKept } from "../common/use-kept.ts";
import type { WaitingCall } from "./approval-card.tsx";
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
  /** The choice was made on a plan of other content. */
  isCarried: boolean;
}

interface LeftOut {
  readonly digest: string;
  readonly hunks: ReadonlySet<string>;
  /** The files that they are of. */
  readonly paths: ReadonlySet<string>;
}

const NAME = "hunks";
const NOTHING: ReadonlySet<string> = new Set();

export function useHunkChoice(calls: readonly WaitingCall[]): HunkChoice {
  const [left, setLeft] = useState(() => new Map(calls.map(({ id, approval: { plan } }) => [plan.id, startOf(id, plan)])));
  const [isCarried] = useState(() => calls.some(({ id, approval: { plan } }) => isOfAnother(keptOf(id), plan)));
  const places = useMemo(() => new Map(calls.map(({ approval: { plan } }) => [plan.id, new Map(hunkIds(plan).map((hunk, place) => [hunk, place + 1]))])), [calls]);
  const leftOf = (plan: Plan) => left.get(plan.id) ?? NOTHING;
  const isChosen = (plan: Plan, hunk: string) => !leftOf(plan).has(hunk);
  const isOffered = (plan: Plan) => hasChoice(plan) || leftOf(plan).size > 0;
  const set = (plan: Plan, hunks: readonly string[], chosen: boolean) => {
    const next = new Set(leftOf(plan));
    for (const hunk of hunks) {
      if (chosen) next.delete(hunk);
      else next.add(hunk);
    }
    setLeft(new Map(left).set(plan.id, next));
    const call = calls.find(({ approval }) => approval.plan.id === plan.id);
    if (call) keep(call.id, NAME, { digest: plan.digest, hunks: next, paths: pathsOf(plan, next) } satisfies LeftOut);
  };
  return {
    isOffered,
    isChosen,
    toggle: (plan, hunk) => set(plan, [hunk], !isChosen(plan, hunk)),
    setFile: (plan, file, chosen) => set(plan, file.hunks.map(({ id }) => id), chosen),
    chosenOf: (plan) => {
      if (!isOffered(plan)) return null;
      const all = hunkIds(plan);
      const chosen = all.filter((hunk) => isChosen(plan, hunk));
      return chosen.length === all.length ? null : chosen;
    },
    placeOf: (plan, hunk) => ({ number: places.get(plan.id)?.get(hunk) ?? 0, count: places.get(plan.id)?.size ?? 0 }),
    isCarried,
  };
}

export function hasChoice(plan: Plan): boolean {
  if (plan.preview.kind !== "files") return false;
  const count = hunkIds(plan).length;
  return count > 1 || (count > 0 && plan.preview.files.length > 1);
}

export function hunkIds(plan: Plan): readonly string[] {
  return plannedFiles(plan).flatMap((file) => file.hunks.map(({ id }) => id));
}

function keptOf(call: string): LeftOut | undefined {
  return readKept(call, NAME) as LeftOut | undefined;
}

function isOfAnother(kept: LeftOut | undefined, { digest }: Plan): boolean {
  return kept !== undefined && kept.hunks.size > 0 && kept.digest !== digest;
}

function startOf(call: string, plan: Plan): ReadonlySet<string> {
  const kept = keptOf(call);
  if (kept === undefined) return NOTHING;
  if (!isOfAnother(kept, plan)) return kept.hunks;
  return new Set(plannedFiles(plan).flatMap((file) => (kept.paths.has(file.path) ? file.hunks.map(({ id }) => id) : [])));
}

function pathsOf(plan: Plan, hunks: ReadonlySet<string>): ReadonlySet<string> {
  return new Set(plannedFiles(plan).flatMap((file) => (file.hunks.some(({ id }) => hunks.has(id)) ? [file.path] : [])));
}
