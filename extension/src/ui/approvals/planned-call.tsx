/** One call of a card. In a group it has a box: what is not ticked is denied. */
import { PlanPreview } from "./plan-preview.tsx";
import type { WaitingCall } from "./approval-card.tsx";
import type { OpenedParts } from "./use-opened-parts.ts";

interface PlannedCallProps {
  call: WaitingCall;
  parts: OpenedParts;
  chosen?: boolean;
  onChoose?: () => void;
}

export function PlannedCall({ call, parts, chosen, onChoose }: PlannedCallProps) {
  const { plan } = call.approval;
  if (!onChoose) return <PlanPreview plan={plan} parts={parts} />;
  return (
    <div className="flex min-w-0">
      <input
        type="checkbox"
        aria-label={plan.summary}
        checked={chosen}
        onChange={onChoose}
        className="mt-2 ml-3 size-3.5 shrink-0 accent-accent"
      />
      <div className={chosen ? "min-w-0 flex-1" : "min-w-0 flex-1 opacity-60"}>
        <PlanPreview plan={plan} parts={parts} />
      </div>
    </div>
  );
}
