/** A turn in the order in which it happened: its steps, what was said between them, and where room was made. Pure. */
import type { CompactionLog } from "../../agent/log.ts";
import type { StepView, TurnView } from "../../agent/session-view.ts";

export type TurnItem =
  | { readonly kind: "step"; readonly step: StepView }
  | { readonly kind: "steer"; readonly steer: TurnView["steers"][number] }
  | { readonly kind: "compaction"; readonly compaction: CompactionLog };

/** What was summarised before the turn's first step stands above the turn, and is not among these. */
export function turnItems(turn: TurnView, compactions: readonly CompactionLog[]): readonly TurnItem[] {
  const between = (place: number, isLast: boolean): TurnItem[] => [
    ...compactions.filter((each) => each.steps > 0 && (each.steps === place || (isLast && each.steps > place))).map((compaction): TurnItem => ({ kind: "compaction", compaction })),
    ...turn.steers.filter((each) => each.afterSteps === place || (isLast && each.afterSteps > place)).map((steer): TurnItem => ({ kind: "steer", steer })),
  ];
  const items = turn.steps.flatMap((step, place): TurnItem[] => [...between(place, false), { kind: "step", step }]);
  return [...items, ...between(turn.steps.length, true)];
}
