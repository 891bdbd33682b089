// What decides about a call beside the call itself, read from the log and from the rules of this browser. Pure but for the host's folders.
import { decideAtOnce, decideRead, isDeniedEverywhere, type Circumstances, type Verdict } from "../approval/decide.ts";
import { forReader, hiddenFrom, type HiddenPath, type Readers } from "../approval/hidden-paths.ts";
import { subjectOf, type Subject } from "../approval/subject.ts";
import { onceEach } from "../lib/once-each.ts";
import type { Mode } from "./events.ts";
import type { Plan } from "../wire/plan.ts";
import type { Rule } from "../wire/rule.ts";
import { strangerOf } from "./attached.ts";
import type { CallLog, SessionLog, TurnLog } from "./log.ts";
import type { ToolHost } from "./world.ts";

/** What a rule may need beside the call: the rules of this browser, the clock, and which tools of the host only read. */
export interface Known {
  readonly rules: readonly Rule[];
  readonly now: number;
  readonly reads: Readers;
}

export function circumstancesOf(log: SessionLog, turn: TurnLog, call: CallLog, { rules, now, reads }: Known): Circumstances {
  return { mode: modeOf(log, turn), rules: forReader(rulesOf(log, rules), call.tool, reads), leases: log.leases, taint: taintOf(log), turn: turn.id, now };
}

/** What rules keep from a call, also where it names none of it. */
export function hiddenFromCall(log: SessionLog, turn: TurnLog, call: CallLog, { rules, reads }: Known): readonly HiddenPath[] {
  const held = rulesOf(log, rules).filter(({ scope, turn: only }) => scope !== "turn" || only === turn.id);
  return hiddenFrom(subjectOfCall(log, turn, call, null), held, reads, call.answer?.decision === "allow" ? call.answer.at : null);
}

/** Who leaves accepted edits while a turn runs, is asked from then on; the rest of the mode is the turn's. */
export function modeOf(log: SessionLog, turn: TurnLog): Mode {
  return turn.config.mode === "accept_edits" && log.config.mode !== "accept_edits" ? "ask" : turn.config.mode;
}

export function subjectOfCall(log: SessionLog, turn: TurnLog, call: CallLog, plan: Plan | null, place: string | null = turn.config.workspace): Subject {
  const kind = log.origin?.kind;
  return subjectOf({ tool: call.tool, args: call.args, workspace: place, origin: kind === "schedule" || kind === "subagent" ? kind : "session" }, plan);
}

/** Of a read, which the host would run at once. */
export function verdictOnRead(log: SessionLog, turn: TurnLog, call: CallLog, known: Known, place: string | null): Verdict {
  return decideRead(subjectOfCall(log, turn, call, null, place), circumstancesOf(log, turn, call, known));
}

/** Of a call that changes something and that the host would run at once all the same, because its configuration says so. */
export function verdictAtOnce(log: SessionLog, turn: TurnLog, call: CallLog, known: Known, place: string | null): Verdict {
  return decideAtOnce(subjectOfCall(log, turn, call, null, place), circumstancesOf(log, turn, call, known));
}

/** The id of the folder a call acts on, also where the session leaves it to the host. Null: nobody knows. */
export async function placeOf(host: ToolHost | null, turn: TurnLog): Promise<string | null> {
  return turn.config.workspace ?? (await host?.workspace(null).catch(() => null))?.id ?? null;
}

/** A scheduled run, or what works for one. */
export function isScheduled({ origin }: SessionLog): boolean {
  return origin?.kind === "schedule" || origin?.scheduled === true;
}

export function isOffered(log: SessionLog, turn: TurnLog, tool: string, kept: readonly Rule[]): boolean {
  return !isDeniedEverywhere(tool, turn.config.workspace, rulesOf(log, kept));
}

/** Whose text is in the conversation, each once. */
export function taintOf(log: SessionLog): readonly string[] {
  const turns = log.turns.map(strangersIn);
  return [...new Set([...log.seedStrangers, ...turns.flatMap(({ attached }) => attached), ...turns.flatMap(({ read }) => read)])];
}

/** For each word that streams in, only the last turn is another one. */
const strangersIn = onceEach(({ attachments, steers, steps }: TurnLog) => ({
  attached: [...attachments, ...steers.flatMap((steer) => steer.attachments)].flatMap((attachment) => strangerOf(attachment) ?? []),
  read: steps.flatMap(({ calls }) => calls).flatMap((call) => call.result?.stranger?.split(", ") ?? []),
}));

/** What a scheduled run may do was fixed when it was made: of the browser's rules only those allow something that are made for schedules. */
function rulesOf(log: SessionLog, kept: readonly Rule[]): readonly Rule[] {
  const held = isScheduled(log) ? kept.filter(({ effect, target }) => effect !== "allow" || target.origin === "schedule") : kept;
  return log.rules.length === 0 ? held : [...held, ...log.rules];
}
