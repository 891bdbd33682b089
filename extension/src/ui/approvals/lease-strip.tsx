/** While a lease runs: how long still, how much of it is used, and the way to end it. What runs by itself is never silent about it. */
import { Timer } from "lucide-react";
import { isLive, type Lease } from "../../approval/lease.ts";
import { Button } from "../common/button.tsx";
import { formatPrice } from "../common/format-share.ts";
import { useNow } from "../common/use-now.ts";
import { useText } from "../text/use-text.ts";
import { strangerNames } from "./stranger-names.ts";

interface LeaseStripProps {
  leases: readonly Lease[];
  /** Whose text is in the conversation: while there is any, the lease lets nothing run. */
  strangers: readonly string[];
  onEnd: (lease: string) => void;
}

export function LeaseStrip({ leases, strangers, onEnd }: LeaseStripProps) {
  const text = useText();
  const isGranted = leases.some((lease) => !lease.revoked && lease.until > 0);
  const now = useNow(isGranted ? 1_000 : null);
  return leases.filter((lease) => isLive(lease, now)).map((lease) => {
    const facts = [
      text.cards.leaseLeft(clock(lease.until - now)),
      lease.calls === null ? null : text.cards.leaseCalls(lease.used, lease.calls),
      lease.costUsd === null ? null : text.cards.leaseCost(formatPrice(lease.spentUsd, text.language.tag), formatPrice(lease.costUsd, text.language.tag)),
    ].filter((fact) => fact !== null);
    return (
      <section key={lease.id} data-testid="lease-strip" data-wash className="rounded-md bg-accent-wash py-0.5 pe-0.5 ps-2.5 text-xs text-accent">
        <div className="flex items-center gap-2">
          <Timer aria-hidden size={12} className="shrink-0" />
          <span className="min-w-0 flex-1 tabular-nums">{facts.join(" · ")}</span>
          <Button weight="quiet" data-testid="lease-end" onClick={() => onEnd(lease.id)}>{text.cards.leaseEnd}</Button>
        </div>
        {strangers.length > 0 && <p className="pb-1 text-2xs text-warn">{text.cards.stranger(strangerNames(strangers.join(", "), text))}</p>}
      </section>
    );
  });
}

/** `14:32`; hours before it where there are some. */
function clock(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const parts = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), seconds % 60];
  return (parts[0] === 0 ? parts.slice(1) : parts).map((part, place) => (place === 0 ? String(part) : String(part).padStart(2, "0"))).join(":");
}
