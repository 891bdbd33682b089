// When a turn stops to ask whether it should go on. Nothing is thrown away: Continue counts anew from where it stands. Pure.
import { canonical } from "../lib/canonical.ts";
import type { PauseReason, TurnLimits } from "./events.ts";
import { CAP_WARNING, DRIP_MS, FREE_RETRIES, IDLE_STEPS, LONGEST_TIMEOUT_MS, MINUTES_CAP, RETRY_FIRST_MS, RETRY_LAST_MS, SAME_FAILURES, STEP_CAP } from "./limits.ts";
import type { CallLog, StepLog, TurnLog } from "./log.ts";

export interface Pause {
  readonly reason: PauseReason;
  readonly message: string;
}

export interface Meter {
  readonly reason: PauseReason;
  /** Of the cap, from 0. */
  readonly share: number;
}

export function limitsOf(turn: TurnLog): Required<TurnLimits> {
  const { steps, costUsd, minutes, retries, retryFirstMs, retryLastMs, toolTimeoutsMs } = turn.config.limits ?? {};
  return {
    steps: steps ?? STEP_CAP,
    costUsd: costUsd ?? null,
    minutes: minutes === undefined ? MINUTES_CAP : minutes,
    retries: retries ?? FREE_RETRIES,
    retryFirstMs: retryFirstMs ?? RETRY_FIRST_MS,
    retryLastMs: retryLastMs ?? RETRY_LAST_MS,
    toolTimeoutsMs: toolTimeoutsMs ?? {},
  };
}

/** Asked at each step boundary. */
export function pauseOf(turn: TurnLog): Pause | null {
  const limits = limitsOf(turn);
  const recent = recentSteps(turn);
  const whole = recent.filter((step) => step.state === "ended");
  if (whole.length >= limits.steps) return { reason: "step_cap", message: `${limits.steps} steps were made without a final answer.` };
  const spent = spentOf(turn);
  if (limits.costUsd !== null && spent >= limits.costUsd) {
    return { reason: "cost_cap", message: `This turn cost $${spent.toFixed(2)}; its cap is $${limits.costUsd.toFixed(2)}.` };
  }
  if (limits.costUsd !== null && isNewlyUnpriced(turn)) {
    return { reason: "price_unknown", message: `This turn has a cap of $${limits.costUsd.toFixed(2)}, and what it costs is not known: the model has no price here.` };
  }
  if (limits.minutes !== null && turn.workedMs >= limits.minutes * 60_000) {
    return timeCap(turn);
  }
  const failing = repeatedFailure(whole);
  if (failing !== null) return { reason: "same_failure", message: `The same call of ${failing} failed ${SAME_FAILURES} times.` };
  if (idleSteps(whole) >= IDLE_STEPS) return { reason: "no_progress", message: `The last ${IDLE_STEPS} steps only repeated calls whose results were already known.` };
  return null;
}

/** Asked while a request streams that began then: it has dripped on past the time cap. */
export function isOverTime(turn: TurnLog, lastEvent: number, began: number, now: number): boolean {
  const { minutes } = limitsOf(turn);
  return minutes !== null && turn.outcome === null && now - began >= DRIP_MS && turn.workedMs + Math.max(0, now - lastEvent) >= minutes * 60_000;
}

export function timeCap(turn: TurnLog): Pause {
  return { reason: "time_cap", message: `The agent has been at work for ${limitsOf(turn).minutes ?? 0} minutes.` };
}

/** Null: nobody set one. */
export function timeoutOf(turn: TurnLog, tool: string): number | null {
  const { toolTimeoutsMs } = limitsOf(turn);
  const set = Object.hasOwn(toolTimeoutsMs, tool) ? toolTimeoutsMs[tool] : undefined;
  return set === undefined ? null : Math.min(set, LONGEST_TIMEOUT_MS);
}

/** The cap that is nearest, once it is near. */
export function nearestCap(turn: TurnLog): Meter | null {
  const limits = limitsOf(turn);
  const recent = recentSteps(turn);
  const meters: Meter[] = [{ reason: "step_cap", share: recent.filter((step) => step.state === "ended").length / limits.steps }];
  if (limits.costUsd !== null && limits.costUsd > 0) meters.push({ reason: "cost_cap", share: spentOf(turn) / limits.costUsd });
  if (limits.minutes !== null && limits.minutes > 0) meters.push({ reason: "time_cap", share: turn.workedMs / (limits.minutes * 60_000) });
  const nearest = meters.toSorted((left, right) => right.share - left.share)[0];
  return nearest !== undefined && nearest.share >= CAP_WARNING ? nearest : null;
}

function recentSteps(turn: TurnLog): readonly StepLog[] {
  return turn.steps.slice(turn.resumedAt);
}

/** Since it began, or was continued. */
export function spentOf(turn: TurnLog): number {
  const summaries = turn.summaries.filter(({ resumedAt }) => resumedAt === turn.resumedAt);
  return costOf(recentSteps(turn)) + summaries.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0);
}

/** Something was paid for at a price that nobody knows. Who goes on all the same is not asked again in this turn. */
function isNewlyUnpriced(turn: TurnLog): boolean {
  const unpriced = turn.steps.findIndex((step) => step.state === "ended" && (step.costUsd === null || step.calls.some((call) => call.result?.origin === "engine" && costOfAgent(call.tool, call.result.structured) === null)));
  return unpriced >= turn.resumedAt;
}

/** With what the agents cost that worked for it. */
function costOf(steps: readonly StepLog[]): number {
  return steps.reduce((sum, step) => sum + (step.costUsd ?? 0) + step.calls.reduce((all, call) => all + agentCost(call), 0), 0);
}

function agentCost({ tool, result }: CallLog): number {
  return (result?.origin === "engine" && costOfAgent(tool, result.structured)) || 0;
}

/** What another agent cost, from the result of the call that sent it. Null: nobody knows; it is no such call: 0. */
export function costOfAgent(tool: string, structured: unknown): number | null {
  if (tool !== "spawn_agent" || typeof structured !== "object" || structured === null || !("data" in structured)) return 0;
  const { data } = structured;
  return typeof data === "object" && data !== null && "cost_usd" in data && typeof data.cost_usd === "number" && data.cost_usd >= 0 ? data.cost_usd : null;
}

/** The tool whose same call failed again and again; a success in between shows that something changed. */
function repeatedFailure(steps: readonly StepLog[]): string | null {
  const failures = new Map<string, number>();
  for (const call of steps.flatMap((step) => step.calls)) {
    const count = call.result?.isError === true ? (failures.get(signature(call)) ?? 0) + 1 : 0;
    failures.set(signature(call), count);
    if (count >= SAME_FAILURES) return call.tool;
  }
  return null;
}

/** How many steps at the end asked only what had been asked before and got the same answer. */
function idleSteps(steps: readonly StepLog[]): number {
  const known = new Set<string>();
  let idle = 0;
  for (const step of steps) {
    const outcomes = step.calls.map((call) => `${signature(call)}\n${call.result?.text ?? ""}`);
    idle = outcomes.length > 0 && outcomes.every((outcome) => known.has(outcome)) ? idle + 1 : 0;
    for (const outcome of outcomes) known.add(outcome);
  }
  return idle;
}

function signature(call: CallLog): string {
  return `${call.tool} ${canonical(call.args ?? call.argsText)}`;
}
