/** "For a while": so many minutes, so many calls, for what asks like this card does. */
import type { LeaseDraft } from "../../app/grants.ts";
import type { Tier } from "../../wire/plan.ts";
import { Pills } from "../common/pills.tsx";
import { TickBox } from "../common/tick-box.tsx";
import { useText } from "../text/use-text.ts";

/** Long enough for a piece of work, short enough to remember that it runs. */
const MINUTES = [5, 15, 60] as const;
const CALLS = [10, 50, null] as const;
const TIERS: readonly Tier[] = ["batch", "individual"];

/** What a card begins with: what it asks itself, no more. */
export function leaseFor(tiers: readonly Tier[]): LeaseDraft {
  return { tiers: [...new Set(tiers)], minutes: 15, calls: 50, costUsd: null };
}

interface LeasePanelProps {
  lease: LeaseDraft;
  /** The tiers of the card: a lease that would not cover them would be no answer. */
  needed: readonly Tier[];
  onChange: (lease: LeaseDraft) => void;
}

export function LeasePanel({ lease, needed, onChange }: LeasePanelProps) {
  const text = useText();
  const words = text.cards;
  const toggle = (tier: Tier) => onChange({ ...lease, tiers: lease.tiers.includes(tier) ? lease.tiers.filter((each) => each !== tier) : [...lease.tiers, tier] });
  return (
    <div className="flex flex-col gap-2" data-testid="lease-panel">
      <p className="text-2xs text-soft">{words.leaseHint}</p>
      <div className="flex flex-wrap gap-x-3 gap-y-2">
        <Pills<number> label={words.minutes} testId="lease-minutes" pills={MINUTES.map((value) => ({ value, label: words.minutesOf(value) }))} value={lease.minutes} onChange={(minutes) => onChange({ ...lease, minutes })} />
        <Pills<number | null> label={words.calls} testId="lease-calls" pills={CALLS.map((value) => ({ value, label: words.callsOf(value) }))} value={lease.calls} onChange={(calls) => onChange({ ...lease, calls })} />
      </div>
      <fieldset>
        <legend className="pb-1 text-2xs font-medium text-soft">{words.tiers}</legend>
        {TIERS.map((tier) => (
          <label key={tier} className="flex cursor-pointer items-start gap-2 py-1 text-xs">
            <TickBox className="mt-0.5" checked={lease.tiers.includes(tier)} disabled={needed.includes(tier)} onChange={() => toggle(tier)} />
            {words.tierNames[tier]}
          </label>
        ))}
      </fieldset>
    </div>
  );
}
