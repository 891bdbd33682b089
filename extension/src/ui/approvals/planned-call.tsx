/** One call of a card. In a group it has a box: what is not ticked is denied. */
import { classNames } from "../common/class-names.ts";
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
      <label className="flex size-9 shrink-0 cursor-pointer items-center justify-center">
        <input type="checkbox" aria-label={plan.summary} checked={chosen} onChange={onChoose} className="size-3.5 cursor-pointer accent-accent" />
      </label>
      <div className={classNames("min-w-0 flex-1", !chosen && "grayscale")}>
        <PlanPreview plan={plan} parts={parts} />
      </div>
    </div>
  );
}
