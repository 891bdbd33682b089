/** What runs by itself for a while in this session, and the way to end or begin that. */
import { type FormEvent, useState } from "react";
import { isLive } from "../../approval/lease.ts";
import { Button } from "../common/button.tsx";
import { Card } from "../common/card.tsx";
import { CheckField } from "../common/check-field.tsx";
import { FactsLine } from "../common/facts-line.tsx";
import { focusOnMount } from "../common/focus-on-mount.ts";
import { formatPrice } from "../common/format-share.ts";
import { NumberField } from "../common/number-field.tsx";
import { Row, Rows } from "../common/row.tsx";
import { useNow } from "../common/use-now.ts";
import { usePanel } from "../panel/panel-context.ts";
import { REFUSED } from "../panel/use-intents.ts";
import { useText } from "../text/use-text.ts";
import type { Tier } from "../../wire/plan.ts";
import { EXAMPLES } from "./examples.ts";

const SECOND_MS = 1000;

export function LeasesCard() {
  const text = useText();
  const words = text.settings.leases;
  const { session, send, show } = usePanel();
  const now = useNow(SECOND_MS);
  const [grants, setGrants] = useState(false);
  const live = session?.leases.filter((lease) => isLive(lease, now)) ?? [];
  const end = async (lease: string) => {
    if (session && (await send("revokeLease", { session: session.id, lease })) !== REFUSED) show({ tone: "good", message: words.ended });
  };
  return (
    <Card title={words.title} hint={words.hint} testId="leases" actions={session && <Button data-testid="lease-add" disabled={grants} onClick={() => setGrants(true)}>{words.add}</Button>}>
      {grants && session && <LeaseForm session={session.id} onDone={() => setGrants(false)} />}
      {!session && <p className="text-xs text-soft">{words.needsSession}</p>}
      {session && live.length === 0 && !grants && <p className="text-xs text-soft">{words.none}</p>}
      {live.length > 0 && (
        <Rows label={words.title}>
          {live.map((lease) => (
            <Row
              key={lease.id}
              testId="lease-row"
              id={lease.id}
              title={lease.tiers.map((tier) => words.tiers[tier]).join(", ")}
              hint={<FactsLine>{words.left(Math.ceil((lease.until - now) / SECOND_MS / 60))}{lease.calls === null ? words.used(lease.used) : words.usedOf(lease.used, lease.calls)}{lease.costUsd !== null && text.cards.leaseCost(formatPrice(lease.spentUsd, text.language.tag), formatPrice(lease.costUsd, text.language.tag))}</FactsLine>}
              actions={<Button weight="quiet" data-testid="lease-end" onClick={() => void end(lease.id)}>{words.end}</Button>}
            />
          ))}
        </Rows>
      )}
    </Card>
  );
}

function LeaseForm({ session, onDone }: { session: string; onDone: () => void }) {
  const text = useText();
  const words = text.settings.leases;
  const { send, show } = usePanel();
  const [minutes, setMinutes] = useState<number | null>(15);
  const [calls, setCalls] = useState<number | null>(null);
  const [costUsd, setCostUsd] = useState<number | null>(null);
  const [tiers, setTiers] = useState<readonly Tier[]>(["batch"]);
  const tick = (tier: Tier) => (on: boolean) => setTiers(on ? [...tiers, tier] : tiers.filter((each) => each !== tier));
  const grant = async (event: FormEvent) => {
    event.preventDefault();
    if (minutes === null || tiers.length === 0 || (await send("grantLease", { session, lease: { tiers, minutes, calls, costUsd } })) === REFUSED) return;
    show({ tone: "good", message: words.granted(minutes) });
    onDone();
  };
  return (
    <form onSubmit={(event) => void grant(event)} data-testid="lease-form" className="flex flex-col gap-3 rounded-lg border border-line bg-surface p-3">
      <CheckField ref={focusOnMount} label={words.tiers.batch} hint={words.batchHint} testId="lease-batch" checked={tiers.includes("batch")} onChange={tick("batch")} />
      <CheckField label={words.tiers.individual} hint={words.individualHint} testId="lease-individual" checked={tiers.includes("individual")} onChange={tick("individual")} />
      <div className="grid grid-cols-3 gap-3">
        <NumberField label={words.minutes} testId="lease-minutes" min={1} value={minutes} onChange={setMinutes} />
        <NumberField label={words.calls} min={1} value={calls} placeholder={EXAMPLES.noLimit} onChange={setCalls} />
        <NumberField label={words.cost} value={costUsd} placeholder={EXAMPLES.noLimit} onChange={setCostUsd} />
      </div>
      <div className="flex gap-1.5">
        <Button type="submit" weight="primary" data-testid="lease-grant" disabled={minutes === null || tiers.length === 0}>{words.grant}</Button>
        <Button weight="quiet" data-testid="lease-cancel" onClick={onDone}>{text.common.cancel}</Button>
      </div>
    </form>
  );
}
