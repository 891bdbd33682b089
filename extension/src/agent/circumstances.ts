// What decides about a call beside the call itself, read from the log and from the rules of this browser. Pure.
import { decideRead, isDeniedEverywhere, type Circumstances, type Verdict } from "../approval/decide.ts";
import { subjectOf, type Subject } from "../approval/subject.ts";
import type { Plan } from "../wire/plan.ts";
import type { Rule } from "../wire/rule.ts";
import { strangerOf } from "./attached.ts";
import type { CallLog, SessionLog, TurnLog } from "./log.ts";

export function circumstancesOf(log: SessionLog, turn: TurnLog, kept: readonly Rule[], now: number): Circumstances {
  return { mode: turn.config.mode, rules: rulesOf(log, kept), leases: log.leases, taint: taintOf(log), turn: turn.id, now };
}

export function subjectOfCall(log: SessionLog, turn: TurnLog, call: CallLog, plan: Plan | null): Subject {
  const kind = log.origin?.kind;
  return subjectOf({ tool: call.tool, args: call.args, workspace: turn.config.workspace, origin: kind === "schedule" || kind === "subagent" ? kind : "session" }, plan);
}

/** A read the host would run at once. */
export function verdictOnRead(log: SessionLog, turn: TurnLog, call: CallLog, kept: readonly Rule[], now: number): Verdict {
  return decideRead(subjectOfCall(log, turn, call, null), circumstancesOf(log, turn, kept, now));
}

export function isOffered(log: SessionLog, turn: TurnLog, tool: string, kept: readonly Rule[]): boolean {
  return !isDeniedEverywhere(tool, turn.config.workspace, rulesOf(log, kept));
}

/** Whose text is in the conversation, each once. */
export function taintOf(log: SessionLog): readonly string[] {
  const strangers = log.turns.flatMap((turn) => turn.steps).flatMap((step) => step.calls).flatMap((call) => call.result?.stranger ?? []);
  const attached = log.turns.flatMap((turn) => [...turn.attachments, ...turn.steers.flatMap((steer) => steer.attachments)]).flatMap((attachment) => strangerOf(attachment) ?? []);
  return [...new Set([...log.seedStrangers, ...attached, ...strangers])];
}

function rulesOf(log: SessionLog, kept: readonly Rule[]): readonly Rule[] {
  return log.rules.length === 0 ? kept : [...kept, ...log.rules];
}
