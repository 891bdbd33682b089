// Counts what a played trial came to, from what others saw: the provider its prompts, the host its calls, the disk its events, the person
// what they were told. Nothing here asks the engine what it thinks.
import { emptyLog, foldEvent, foldEvents } from "../../agent/fold.ts";
import { summarise } from "../../agent/summary.ts";
import { canonical } from "../../lib/canonical.ts";
import { parseArgs } from "../../lib/parse-args.ts";
import type { AgentEvent, StoredEvent } from "../../wire/events.ts";
import { isSame } from "./is-same.ts";
import { marked } from "./tags.ts";
import { brokenOrder, toldBy, toldIn } from "./told.ts";
import type { Played } from "./trial.ts";
import { AUTO_COMMAND, TIERS, type Effect } from "./watched-host.ts";

/** Whatever was promised and not kept, in words. */
export async function judge(played: Played): Promise<readonly string[]> {
  const { disk, person } = played;
  const faults = [
    ...(played.stuck === null ? [] : [`stuck: ${played.stuck}; ${unfinished(played)}`]),
    ...disk.faults,
    ...person.faults,
    ...(await disk.rewritten()),
    ...prompts(played),
    ...effects(played),
    ...results(played),
    ...sayings(played),
    ...(played.stuck === null ? endings(played) : []),
    ...files(played),
    ...undos(played),
    ...(await schedules(played)),
    ...(await folds(played)),
  ];
  return [...new Set(faults)];
}

// What the provider saw.

function prompts({ provider, disk }: Played): readonly string[] {
  const faults: string[] = [];
  const billed = new Map<string, number>();
  const answered = new Map<string, number>();
  for (const [place, request] of provider.requests.entries()) {
    const where = `request ${place + 1} (${request.place?.tag ?? "?"}, step ${request.place?.steps ?? "?"})`;
    for (const fault of brokenOrder(request.messages)) faults.push(`${where}: ${fault}`);
    const then = disk.stored.slice(0, request.stored).map(({ event }) => event);
    const sessions = request.place === null ? [] : sessionsOf(then, request.place.tag);
    if (request.place !== null && sessions.length === 0) faults.push(`${where}: asked before what was said was stored`);
    const isTold = (events: readonly StoredEvent[]) => isSame(toldBy(events), toldIn(request.messages, isCut(request.messages, events) ? 0 : seedOf(events).length));
    if (!request.isSummary && sessions.length > 0 && !sessions.some(isTold)) {
      const events = sessions[0] ?? [];
      faults.push(`${where}: the prompt is not what the log says\n  log:    ${toldBy(events).join("\n          ")}\n  prompt: ${toldIn(request.messages, isCut(request.messages, events) ? 0 : seedOf(events).length).join("\n          ")}`);
    }
    // What a person did since may well have it asked again.
    const acts = sessions[0]?.filter(({ event }) => isOfPerson(event)).length ?? 0;
    const key = `${request.isSummary} ${acts} ${JSON.stringify(request.messages)}`;
    if (request.billed) billed.set(key, (billed.get(key) ?? 0) + 1);
    // Tasks of the same words, in sessions of their own, look the same from here.
    if ((billed.get(key) ?? 0) > 3 * Math.max(1, sessions.length) && request.place !== null) faults.push(`${where}: paid for ${billed.get(key)} times by itself`);
    const before = answered.get(key);
    if (before !== undefined && sessions.length === 1 && wasSealed(disk.stored.slice(before, request.stored).map(({ event }) => event), sessions)) faults.push(`${where}: asked again although it was answered`);
    if (request.whole) answered.set(key, request.stored);
  }
  return faults;
}

function isOfPerson({ type }: AgentEvent): boolean {
  return type === "TurnResumed" || type === "BranchStart" || type === "BranchSelected" || type === "CompactionUndone" || type === "CompactRequested";
}

/** An answer with something in it was stored for the session in between. */
function wasSealed(events: readonly StoredEvent[], sessions: readonly (readonly StoredEvent[])[]): boolean {
  const session = sessions[0]?.[0]?.session;
  return events.some((stored) => stored.session === session && stored.event.type === "AssistantDone" && (stored.event.text !== "" || events.some(({ event }) => event.type === "ToolRequested" && stored.event.type === "AssistantDone" && event.step === stored.event.step)));
}

/** Sessions in which this was said, each as far as it was stored. */
function sessionsOf(events: readonly StoredEvent[], tag: string): readonly (readonly StoredEvent[])[] {
  const said = events.filter(({ event }) => (event.type === "UserMessage" || event.type === "Steered") && event.text.includes(marked(tag)));
  return [...new Set(said.map(({ session }) => session))].map((session) => events.filter((each) => each.session === session));
}

/** A summary of its own: one that came with the seed is part of that. */
function isCut(messages: readonly { readonly role: string; readonly text: string }[], events: readonly StoredEvent[]): boolean {
  const first = messages[0]?.text ?? "";
  return first.startsWith("[The earlier part") && first !== seedOf(events)[0]?.text;
}

function seedOf(events: readonly StoredEvent[]): readonly { readonly text: string }[] {
  return events.flatMap(({ event }) => (event.type === "Seeded" ? event.messages : []));
}

// What the host did.

function effects({ host, disk, person }: Played): readonly string[] {
  const faults: string[] = [];
  const events = disk.stored.map(({ event }) => event);
  const leased = new Map<string, number>();
  for (const [key, count] of Map.groupBy(host.effects.filter(({ isRead }) => !isRead), (effect) => effect.key)) {
    if (count.length > 1) faults.push(`${count[0]?.tool} (${key}) was done ${count.length} times`);
  }
  for (const [key, count] of Map.groupBy(host.undone, ({ call }) => call)) if (count.length > 1) faults.push(`the undo ${key} was done ${count.length} times`);
  for (const effect of host.effects) {
    const what = `${effect.tool} ${JSON.stringify(effect.args)} (${effect.key})`;
    const then = events.slice(0, effect.stored);
    const call = callOf(then, effect.key);
    if (call === null) {
      faults.push(`${what} was done for a call that is in no log`);
      continue;
    }
    const log = then.filter(({ session }) => session === call.session);
    if (!log.some(({ event }) => event.type === "AssistantDone" && event.step === call.step)) faults.push(`${what} was done before its step was whole`);
    const started = log.findLast(({ event }) => event.type === "ToolStarted" && event.call === call.id);
    if (started === undefined) faults.push(`${what} was done before it was written down that it starts`);
    if (canonical(effect.args) !== canonical(parseArgs(call.argsText) ?? {})) faults.push(`${what} was done with other arguments than the log's ${call.argsText}`);
    if (effect.isRead) continue;
    if (log.some(({ event }) => event.type === "ToolResult" && event.call === call.id)) faults.push(`${what} was done after its result was stored`);
    if (effect.mode === "plan") faults.push(`${what} was done in plan mode`);
    const stop = log.findLast(({ event, seq }) => event.type === "StopRequested" && call.step.startsWith(`${event.turn}.`) && seq < (started?.seq ?? 0));
    if (stop !== undefined && !log.some(({ event, seq }) => event.type === "TurnResumed" && seq > stop.seq && seq < (started?.seq ?? 0))) faults.push(`${what} began after Stop`);
    faults.push(...notAllowed(effect, call, person, what, leased, log));
  }
  for (const granted of person.granted.filter(({ kind, calls }) => kind === "lease" && calls !== null)) {
    const most = person.granted.filter(({ kind, session }) => kind === "lease" && session === granted.session).reduce((sum, { calls }) => sum + (calls ?? Number.POSITIVE_INFINITY), 0);
    if ((leased.get(granted.session) ?? 0) > most) faults.push(`a lease of ${most} calls let ${leased.get(granted.session)} run`);
  }
  return faults;
}

/** Pressed, or covered by what was granted: else it ran behind the person's back. */
function notAllowed(effect: Effect, call: FoundCall, person: Played["person"], what: string, leased: Map<string, number>, log: readonly StoredEvent[]): readonly string[] {
  const faults: string[] = [];
  const pressed = person.pressed.filter((each) => each.call === call.id && each.at <= effect.at && canonical(each.args ?? {}) === canonical(effect.args));
  if (pressed.some(({ decision, acknowledged }) => decision === "deny" && acknowledged)) faults.push(`${what} was denied, and done`);
  const isAuto = TIERS[effect.tool] === "auto" || (effect.tool === "exec_run" && effect.args["command"] === AUTO_COMMAND);
  const parent = log[0]?.event.type === "SessionStarted" && log[0].event.origin?.kind === "subagent" ? log[0].event.origin.session : null;
  const denied = person.granted.find((each) => each.kind === "rule" && each.effect === "deny" && each.acknowledged && each.tool === effect.tool && (each.session === call.session || each.session === parent) && call.at > each.at);
  if (denied !== undefined && !pressed.some(({ decision }) => decision === "allow")) faults.push(`${what} was done against a rule`);
  if (isAuto) return faults;
  const allowed = pressed.filter(({ decision }) => decision === "allow");
  // What was pressed on a card that a rule had answered a moment before, was told to be too late.
  if (allowed.length > 0 && log.some(({ event }) => event.type === "ApprovalAnswered" && event.call === call.id && event.by === "user")) {
    if (!allowed.some(({ hunks }) => canonical(hunks) === canonical(effect.hunks))) faults.push(`${what} was done with the parts ${canonical(effect.hunks)}, and others were allowed`);
    return faults;
  }
  if (person.granted.some((each) => each.kind === "rule" && each.effect === "allow" && each.tool === effect.tool && each.at <= effect.at)) return faults;
  const mode = TIERS[effect.tool] === "batch" && log.some(({ event }) => event.type === "TurnStart" && call.step.startsWith(`${event.turn}.`) && event.config.mode === "accept_edits");
  if (mode) return faults;
  const lease = person.granted.find((each) => each.kind === "lease" && each.session === call.session && each.tiers.includes(TIERS[effect.tool] ?? "") && each.at <= effect.at);
  if (lease === undefined) return [...faults, `${what} was done, and nobody allowed it`];
  leased.set(call.session, (leased.get(call.session) ?? 0) + 1);
  return faults;
}

interface FoundCall {
  readonly id: string;
  readonly session: string;
  readonly step: string;
  readonly tool: string;
  readonly argsText: string;
  readonly at: number;
}

/** By its name in the host, which is another one once its arguments were edited. */
function callOf(events: readonly StoredEvent[], key: string): FoundCall | null {
  const edited = events.find(({ event }) => event.type === "ArgsEdited" && event.key === key)?.event;
  const id = edited?.type === "ArgsEdited" ? edited.call : key;
  for (const { event, session, at } of events) {
    if (event.type !== "ToolRequested" || event.call !== id) continue;
    return { id, session, step: event.step, tool: event.tool, at, argsText: edited?.type === "ArgsEdited" ? edited.argsText : event.argsText };
  }
  return null;
}

// What the log says of calls.

function results({ disk, host, stuck }: Played): readonly string[] {
  const faults: string[] = [];
  const events = disk.stored.map(({ event }) => event);
  const sealed = new Set(events.flatMap(({ event }) => (event.type === "AssistantDone" ? [event.step] : [])));
  for (const { event } of events) {
    if (event.type !== "ToolRequested") continue;
    const found = events.filter((each) => each.event.type === "ToolResult" && each.event.call === event.call).map((each) => each.event as Extract<AgentEvent, { type: "ToolResult" }>);
    const what = `${event.tool} ${event.argsText} (${event.call})`;
    const due = sealed.has(event.step) ? 1 : 0;
    // A turn that failed keeps what it owes for Retry.
    const isOwed = events.findLast(({ event: { type, ...more } }) => type === "TurnEnd" && "turn" in more && event.step.startsWith(`${more.turn}.`))?.event;
    const mayLack = stuck !== null || (isOwed?.type === "TurnEnd" && isOwed.outcome === "failed");
    if (found.length > due || (found.length < due && !mayLack)) faults.push(`${what} has ${found.length} results instead of ${due}`);
    const [result] = found;
    if (result === undefined) continue;
    const keys = new Set([event.call, ...events.flatMap((each) => (each.event.type === "ArgsEdited" && each.event.call === event.call ? [each.event.key] : []))]);
    const had = host.effects.filter(({ key, isRead }) => keys.has(key) && !isRead);
    // A sub-agent's own calls have effects of their own.
    if (had.length > 0 && /nothing was done|before this call ran|approval_denied|approval_unavailable/u.test(result.text)) faults.push(`${what} was done, and its result says: ${result.text}`);
    if (TIERS[event.tool] !== undefined && TIERS[event.tool] !== "auto" && !result.isError && had.length === 0) faults.push(`${what} was not done, and its result says: ${result.text}`);
  }
  return faults;
}

// What the person was told.

function sayings({ person, disk, stuck }: Played): readonly string[] {
  const faults: string[] = [];
  const events = disk.stored.map(({ event }) => event);
  for (const { tag, acknowledged, how, withdrawn } of person.said) {
    const said = events.filter(({ event }) => (event.type === "UserMessage" || event.type === "Steered") && event.text.includes(marked(tag)));
    const retried = new Set(events.flatMap(({ event }) => (event.type === "BranchStart" && event.kind === "retry" ? [event.branch] : [])));
    const queued = events.filter(({ event }) => event.type === "QueueAdded" && event.text.includes(marked(tag)));
    if (said.length > 1 + retried.size) faults.push(`${tag} was said ${said.length} times`);
    if (queued.length > 1) faults.push(`${tag} was queued ${queued.length} times`);
    if (acknowledged && said.length + queued.length === 0) faults.push(`${tag} was taken, and is lost`);
    if (stuck === null && queued.length > 0 && !withdrawn && said.length === 0 && how !== "side") faults.push(`${tag} waited, and was never said`);
  }
  for (const { call, acknowledged, decision } of person.pressed) {
    if (acknowledged && !events.some(({ event }) => event.type === "ApprovalAnswered" && event.call === call && event.decision === decision)) faults.push(`${decision} on the card of ${call} was taken, and is lost`);
  }
  return faults;
}

/** What was made to begin later is still there: nobody here takes it back but the beat of a profile. */
async function schedules({ disk }: Played): Promise<readonly string[]> {
  const kept = (await disk.inner.readSetting("schedules")) as readonly { readonly id: string }[] | null;
  return disk.stored.flatMap(({ event: { event } }) => {
    if (event.type !== "ToolResult" || event.isError || !disk.stored.some(({ event: { event: other } }) => other.type === "ToolRequested" && other.call === event.call && other.tool === "schedule")) return [];
    return kept?.some(({ id }) => id === event.call) === true ? [] : [`the schedule ${event.call} was made, and is lost`];
  });
}

// How it ended.

function endings(played: Played): readonly string[] {
  const { disk } = played;
  const faults: string[] = [];
  for (const session of disk.sessions) {
    const events = disk.eventsOf(session);
    const turns = events.flatMap(({ event }) => (event.type === "UserMessage" ? [event.message] : []));
    for (const turn of turns) {
      const last = events.findLast(({ event }) => (event.type === "TurnEnd" || event.type === "TurnResumed") && event.turn === turn)?.event.type;
      if (last !== "TurnEnd") faults.push(`turn ${turn} of ${session} has no end`);
    }
    const origin = events[0]?.event.type === "SessionStarted" ? events[0].event.origin : undefined;
    if (origin?.kind !== "subagent") continue;
    const call = disk.stored.find(({ event: { event } }) => event.type === "ToolRequested" && event.call === origin.by);
    if (call === undefined) faults.push(`the agent ${session} works for no call`);
    // Nobody takes what it does from then on; what it had begun may come to its end.
    const over = disk.stored.findIndex(({ event: { event } }) => event.type === "ToolResult" && event.call === origin.by);
    const late = disk.stored.find(({ event: { event, session: of, at } }, place) => over !== -1 && place > over && of === session && event.type === "StepStart" && at > (disk.stored[over]?.event.at ?? 0));
    if (late !== undefined) faults.push(`the agent ${session} went on after its call had its result`);
  }
  return faults;
}

function unfinished({ disk, memory }: Played): string {
  return disk.sessions
    .map((session) => foldEvents(session, disk.eventsOf(session)))
    .filter((log) => log.turns.at(-1)?.outcome === null || log.compactRequested !== null)
    .map((log) => `${log.session}${log.origin === null ? "" : ` (${log.origin.kind})`}: ${memory.has(log.session) ? "" : "not taken up; "}${log.turns.at(-1)?.steps.at(-1)?.state ?? "no step"} ${log.turns.at(-1)?.steps.at(-1)?.calls.map(({ tool, state }) => `${tool} ${state}`).join() ?? ""}`)
    .join("; ");
}

/** What the log says of the files of a turn is how they are. What an agent changed goes with the turn it worked for. */
function files({ disk, host, stuck }: Played): readonly string[] {
  const last = disk.stored.findLast(({ event: { event } }) => event.type === "UndoEnded")?.event.event;
  // Half done, and told to be.
  if (stuck !== null || (last?.type === "UndoEnded" && last.state === "left")) return [];
  const said = new Map(disk.stored.flatMap(({ event: { event } }) => (event.type === "UndoDone" ? [[event.turn, event.direction] as const] : [])));
  const done = new Map(host.undone.map(({ turn, direction }) => [turn, direction] as const));
  return [...done].flatMap(([turn, direction]) => {
    const told = said.get(turn) ?? said.get(ownerOf(disk, turn) ?? "");
    return (told ?? "redo") === direction ? [] : [`the files of ${turn} are as after ${direction}, and the log says ${told ?? "nothing"}`];
  });
}

/** What was asked for was done whole: a turn and the agents that worked for it stand alike, unless nobody was there to finish it in time. */
function undos({ disk, host, stuck }: Played): readonly string[] {
  if (stuck !== null) return [];
  const faults: string[] = [];
  const events = disk.stored.map(({ event }) => event);
  const begun = new Map<string, string>();
  for (const { event, session } of events) {
    if (event.type === "UndoStarted") begun.set(session, event.undo);
    if (event.type === "UndoEnded" && begun.get(session) === event.undo) begun.delete(session);
  }
  for (const [session, undo] of begun) faults.push(`the undo ${undo} of ${session} was begun, and has no end`);
  const state = new Map(host.undone.map(({ turn, direction }) => [turn, direction] as const));
  const said = events.findLast(({ event }) => event.type === "UndoStarted");
  const end = events.findLast(({ event }) => event.type === "UndoEnded")?.event;
  if (said?.event.type !== "UndoStarted" || end?.type !== "UndoEnded" || end.state !== "done" || end.undo !== said.event.undo) return faults;
  for (const { event, session, id } of events) {
    if (event.type !== "UserMessage" || id > said.id || session === said.session) continue;
    const owner = ownerOf(disk, event.message);
    if (owner === said.event.turn && (state.get(owner) ?? "redo") !== (state.get(event.message) ?? "redo")) faults.push(`after ${said.event.act} the files of ${owner} are as after ${state.get(owner) ?? "nothing"}, and those of its agent's turn ${event.message} as after ${state.get(event.message) ?? "nothing"}`);
  }
  return faults;
}

/** The turn whose call sent the agent that had this turn. */
function ownerOf({ stored }: Played["disk"], turn: string): string | null {
  const session = stored.find(({ event: { event } }) => event.type === "UserMessage" && event.message === turn)?.event.session;
  const begun = stored.find(({ event }) => event.session === session && event.event.type === "SessionStarted")?.event.event;
  const by = begun?.type === "SessionStarted" && begun.origin?.kind === "subagent" ? begun.origin.by : null;
  const asked = stored.find(({ event: { event } }) => event.type === "ToolRequested" && event.call === by)?.event.event;
  return asked?.type === "ToolRequested" ? (asked.step.split(".")[0] ?? null) : null;
}

// What a log means.

async function folds({ disk, memory }: Played): Promise<readonly string[]> {
  const faults: string[] = [];
  const rows = await disk.inner.listSessions();
  for (const session of disk.sessions) {
    const events = disk.eventsOf(session);
    const all = foldEvents(session, events);
    const each = events.reduce(foldEvent, emptyLog(session));
    if (!isSame(all, each)) faults.push(`${session}: folded at once it is another log than event by event`);
    const known = memory.get(session);
    if (known !== undefined && !isSame(JSON.parse(JSON.stringify(known)), JSON.parse(JSON.stringify(all)))) faults.push(`${session}: what the engine had in memory is not what the log says`);
    const row = rows.find(({ id }) => id === session);
    if (!isSame(JSON.parse(JSON.stringify(row)), JSON.parse(JSON.stringify(summarise(all))))) faults.push(`${session}: its row in the list is not what the log says`);
  }
  return faults;
}
