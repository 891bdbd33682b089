// Rules and leases of one session: made, used up, taken back. Pure.
import { isLive, type Lease } from "../approval/lease.ts";
import type { Rule } from "../wire/rule.ts";
import type { AgentEvent } from "./events.ts";
import { costOfAgent } from "./caps.ts";
import { findCall, type SessionLog } from "./log.ts";

export function foldGrants(log: SessionLog, event: AgentEvent, at: number): SessionLog {
  switch (event.type) {
    case "RuleAdded":
      return { ...log, rules: [...log.rules.filter(({ id }) => id !== event.rule.id), event.rule] };
    case "RuleRevoked":
      return { ...log, rules: log.rules.filter(({ id }) => id !== event.rule) };
    case "LeaseGranted": {
      const { lease: id, tiers, until, calls, costUsd } = event;
      return { ...log, leases: [...log.leases, { id, tiers, grantedAt: at, until, calls, costUsd, used: 0, spentUsd: 0, unpriced: false, revoked: false }] };
    }
    case "LeaseRevoked":
      return inLeases(log, (lease) => (lease.id === event.lease ? { ...lease, revoked: true } : lease));
    case "ApprovalAnswered":
      return used(log, event.by, at);
    case "AssistantDone":
    case "Compacted":
      return spent(log, event.costUsd ?? null, at);
    case "CompactFailed":
      return event.usage === undefined ? log : spent(log, event.costUsd ?? null, at);
    case "ToolResult":
      return event.origin === "engine" && log.leases.length > 0 ? spent(log, costOfAgent(findCall(log, event.call)?.tool ?? "", event.structured), at) : log;
    default:
      return log;
  }
}

function used(log: SessionLog, by: string, at: number): SessionLog {
  if (by.startsWith("lease:")) return inLeases(log, (lease) => (`lease:${lease.id}` === by ? { ...lease, used: lease.used + 1 } : lease));
  if (!log.rules.some(({ id }) => by === `rule:${id}`)) return log;
  return { ...log, rules: log.rules.map((rule): Rule => (by === `rule:${rule.id}` ? { ...rule, uses: rule.uses + 1, lastUsedAt: at } : rule)) };
}

/** Null: it was paid for, and the price is not known. */
function spent(log: SessionLog, costUsd: number | null, at: number): SessionLog {
  if (costUsd === 0 || !log.leases.some((lease) => isLive(lease, at))) return log;
  const paid = (lease: Lease) => (costUsd === null ? { ...lease, unpriced: true } : { ...lease, spentUsd: lease.spentUsd + costUsd });
  return inLeases(log, (lease) => (isLive(lease, at) ? paid(lease) : lease));
}

function inLeases(log: SessionLog, change: (lease: Lease) => Lease): SessionLog {
  return log.leases.length === 0 ? log : { ...log, leases: log.leases.map(change) };
}
