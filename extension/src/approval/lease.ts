// A lease lets what would ask run by itself, for a while: so many minutes, so many calls, so much money, whatever ends first. Pure.
import type { Tier } from "../wire/plan.ts";

export interface Lease {
  readonly id: string;
  /** Which tiers it covers; never more than the person ticked. */
  readonly tiers: readonly Tier[];
  readonly grantedAt: number;
  readonly until: number;
  /** Null: as many as come in its time. */
  readonly calls: number | null;
  readonly costUsd: number | null;
  readonly used: number;
  readonly spentUsd: number;
  /** Something was paid for while it ran, and nobody knows how much. */
  readonly unpriced: boolean;
  readonly revoked: boolean;
}

/** Longer is no lease but a rule, and has to be made as one. */
export const LONGEST_LEASE_MS = 8 * 3_600_000;

export function isLive(lease: Lease, now: number): boolean {
  return (
    !lease.revoked &&
    now < lease.until &&
    // A clock that went back must not make it longer.
    now >= lease.grantedAt &&
    (lease.calls === null || lease.used < lease.calls) &&
    // A limit in money that nobody can keep an eye on is over.
    (lease.costUsd === null || (!lease.unpriced && lease.spentUsd < lease.costUsd))
  );
}

export function leaseFor(leases: readonly Lease[], tier: Tier, now: number): Lease | null {
  return leases.find((lease) => isLive(lease, now) && lease.tiers.includes(tier)) ?? null;
}
