/** Over the buttons: only this time, from now on, or for a while; and what the last two mean exactly. */
import type { LeaseDraft } from "../../app/grants.ts";
import type { Plan } from "../../wire/plan.ts";
import { classNames } from "../common/class-names.ts";
import { Pills } from "../common/pills.tsx";
import { useText } from "../text/use-text.ts";
import type { Reach } from "./card-acts.ts";
import { LeasePanel } from "./lease-panel.tsx";
import { RememberPanel } from "./remember-panel.tsx";
import type { Remembering } from "./use-remembering.ts";

interface ReachPartProps {
  reach: Reach;
  onReach: (reach: Reach) => void;
  plans: readonly Plan[];
  /** A rule would be for more than one call. */
  many: boolean;
  remembering: Remembering;
  lease: LeaseDraft;
  onLease: (lease: LeaseDraft) => void;
}

export function ReachPart({ reach, onReach, plans, many, remembering, lease, onLease }: ReachPartProps) {
  const text = useText();
  const words = text.cards;
  return (
    <div className="mb-2 flex flex-col gap-2">
      {reach !== "once" && (
        // Rules come a moment after they are asked for: their place is kept, so that the buttons below stay where they are.
        <div className={classNames("overflow-y-auto", reach === "remember" ? "h-64" : "max-h-64")}>
          {reach === "remember" && <RememberPanel remembering={remembering} many={many} />}
          {reach === "lease" && <LeasePanel lease={lease} needed={plans.map((plan) => plan.tier)} onChange={onLease} />}
        </div>
      )}
      <Pills<Reach>
        label={words.howLong}
        hidesLabel
        testId="reach"
        pills={[
          { value: "once", label: words.once, testId: "reach-once" },
          { value: "remember", label: words.fromNowOn, testId: "reach-remember" },
          { value: "lease", label: words.forAWhile, testId: "reach-lease" },
        ]}
        value={reach}
        onChange={onReach}
      />
    </div>
  );
}
