/** The plan a person (or a rule) answered, to look at again. */
import type { Plan } from "../../wire/plan.ts";
import { PlanPreview } from "./plan-preview.tsx";
import { useOpenedParts } from "./use-opened-parts.ts";

export function AnsweredPlan({ plan }: { plan: Plan }) {
  const parts = useOpenedParts(`answered ${plan.id}`, [plan]);
  return (
    <div className="overflow-clip rounded-md border border-line bg-surface">
      <PlanPreview plan={plan} parts={parts} />
    </div>
  );
}
