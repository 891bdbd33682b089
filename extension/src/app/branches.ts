// Going back without losing anything: branches of a conversation, and the files of a turn, which the host puts back.
import type { AgentEvent, UndoAsked, UndoneFile } from "../agent/events.ts";
import { turnsOfBranch, type SessionLog, type TurnLog, type UndoLog } from "../agent/log.ts";
import type { SessionLoop } from "../agent/loop.ts";
import { isAtWork, withAttachments } from "../agent/step.ts";
import type { ToolHost } from "../agent/world.ts";
import { HostUnreachable } from "../host/faults.ts";
import { CallUnanswered, HostRefused, type UndoOptions } from "../host/host-client.ts";
import type { SessionRow } from "../storage/storage.ts";
import type { WireUndone } from "../wire/decode.ts";
import { IntentFault } from "./intent-fault.ts";
import { requireText } from "./require-text.ts";

/** How often one that loses its host is begun in a row. */
const HOST_TRIES = 3;

export type UndoWhat = "conversation" | "files" | "both";

export interface UndoReport {
  /** `conflict`: files were changed since; nothing was done. */
  readonly state: "done" | "dry_run" | "conflict" | "nothing";
  readonly files: readonly (UndoneFile & { readonly turn: string })[];
}

export interface BranchesParts {
  readonly loop: (session: string) => Promise<SessionLoop>;
  readonly host: () => Promise<ToolHost>;
  /** What belongs to a session, oldest first. */
  readonly children: (session: string) => Promise<readonly SessionRow[]>;
  readonly newId: () => string;
  /** Keeps the background awake until it is called. */
  readonly hold: () => () => void;
  readonly abandon: (log: SessionLog) => readonly AgentEvent[];
}

export class Branches {
  readonly #parts: BranchesParts;
  /** Sessions whose files are being taken back here. */
  readonly #acting = new Map<string, Promise<unknown>>();
  /** Those of them of which the host was told to touch one. */
  readonly #touched = new Set<string>();

  constructor(parts: BranchesParts) {
    this.#parts = parts;
  }

  /** Goes on after this turn; with a text, at once. Null: from the beginning. */
  async fork(session: string, from: string | null, text: string | null): Promise<string> {
    if (text !== null) requireText(text);
    const branch = this.#parts.newId();
    const loop = await this.#idle(session);
    await this.#leave(loop, (log) => {
      if (from !== null && turnOf(log, from) === undefined) return null;
      return [...this.#parts.abandon(log), { type: "BranchStart", branch, kind: "fork", from }, ...this.#message(text)];
    });
    this.#mustBe(loop, branch);
    return branch;
  }

  /** Says this message in other words: a branch that stands beside what followed from the first ones. */
  async edit(session: string, turn: string, text: string): Promise<string> {
    requireText(text);
    const branch = this.#parts.newId();
    const loop = await this.#idle(session);
    await this.#leave(loop, (log) => {
      const place = log.turns.findIndex(({ id }) => id === turn);
      if (place === -1) return null;
      return [...this.#parts.abandon(log), { type: "BranchStart", branch, kind: "edit", from: log.turns[place - 1]?.id ?? null }, ...this.#message(text)];
    });
    this.#mustBe(loop, branch);
    return branch;
  }

  /** The same message once more; what followed from it the first time stays on its own branch. */
  async retry(session: string, turn: string): Promise<void> {
    const branch = this.#parts.newId();
    const loop = await this.#idle(session);
    await this.#leave(loop, (log) => {
      const place = log.turns.findIndex(({ id }) => id === turn);
      const asked = log.turns[place];
      if (asked === undefined) return null;
      const again: AgentEvent = { type: "UserMessage", message: this.#parts.newId(), text: asked.text, ...withAttachments(asked.attachments) };
      return [...this.#parts.abandon(log), { type: "BranchStart", branch, kind: "retry", from: log.turns[place - 1]?.id ?? null }, again];
    });
    this.#mustBe(loop, branch);
  }

  /** Leaves one turn out of the conversation. Returns the branch that still has it. */
  async remove(session: string, turn: string): Promise<string> {
    const branch = this.#parts.newId();
    const loop = await this.#idle(session);
    const before = loop.log.branch;
    await this.#leave(loop, (log) => {
      const last = log.turns.at(-1);
      if (last === undefined || turnOf(log, turn) === undefined) return null;
      return [...this.#parts.abandon(log), { type: "BranchStart", branch, kind: "delete", from: last.id, without: turn }];
    });
    this.#mustBe(loop, branch);
    return before;
  }

  async select(session: string, branch: string): Promise<void> {
    const loop = await this.#idle(session);
    await this.#leave(loop, (log) => [...this.#parts.abandon(log), { type: "BranchSelected", branch }]);
    this.#mustBe(loop, branch);
  }

  /**
   * Takes a turn and all after it back: the conversation, the files, or both. Files come first: where one was changed since,
   * nothing at all is done until the person says to leave it as it is (`skipConflicts`), or to put it back all the same (`overwrite`).
   */
  async undo(session: string, turn: string, what: UndoWhat, options: UndoOptions): Promise<UndoReport> {
    const loop = await this.#idle(session);
    if (what !== "conversation" && !options.dryRun) return this.#whole(loop, this.#asked("undo", turn, what, options));
    if (turnOf(loop.log, turn) === undefined) throw gone();
    return this.#undo(loop, turn, what, options);
  }

  async #undo(loop: SessionLoop, turn: string, what: UndoWhat, options: UndoOptions): Promise<UndoReport> {
    const place = loop.log.turns.findIndex(({ id }) => id === turn);
    if (place === -1) throw gone();
    let report: UndoReport = { state: options.dryRun ? "dry_run" : "done", files: [] };
    if (what !== "conversation") report = await this.#files(loop, loop.log.turns.slice(place).toReversed(), "undo", options);
    if (what === "files" || options.dryRun || report.state === "conflict") return report;
    const from = loop.log.turns[place - 1]?.id ?? null;
    await this.#leave(loop, (log) => [...this.#parts.abandon(log), { type: "BranchStart", branch: this.#parts.newId(), kind: "undo", from }]);
    return { ...report, state: "done" };
  }

  /** Brings back what the last undo of this turn took: the branch where it stands, its files, or both. */
  async redo(session: string, turn: string, what: UndoWhat, options: UndoOptions): Promise<UndoReport> {
    const loop = await this.#idle(session);
    return what === "conversation" || options.dryRun ? this.#redo(loop, turn, what, options) : this.#whole(loop, this.#asked("redo", turn, what, options));
  }

  async #redo(loop: SessionLoop, turn: string, what: UndoWhat, options: UndoOptions): Promise<UndoReport> {
    const { log } = loop;
    const { branch, turns } = onwards(log, turn);
    let report: UndoReport = { state: options.dryRun ? "dry_run" : "done", files: [] };
    if (what !== "conversation") {
      const taken: TurnLog[] = [];
      for (const each of turns) {
        const family = await this.#family(loop.session, each);
        if ([family.turn, ...family.agents].some((id) => log.undone.find((done) => done.turn === id)?.direction === "undo")) taken.push(each);
      }
      report = await this.#files(loop, taken, "redo", options);
    }
    if (what === "files" || options.dryRun || report.state === "conflict" || branch === log.branch) return report;
    await this.#leave(loop, () => [{ type: "BranchSelected", branch }]);
    return { ...report, state: "done" };
  }

  /** What undos of this turn and of those after it had replaced, is put there again; what stands there now is asked about as ever. */
  async bringBack(session: string, turn: string, options: UndoOptions): Promise<UndoReport> {
    const loop = await this.#idle(session);
    return options.dryRun ? this.#bringBack(loop, turn, options) : this.#whole(loop, this.#asked("bring_back", turn, "files", options));
  }

  async #bringBack(loop: SessionLoop, turn: string, options: UndoOptions, isLeft = false): Promise<UndoReport> {
    const { session } = loop;
    const { turns: taken } = onwards(loop.log, turn);
    return withUndoFaults(async () => {
      const host = await this.#parts.host();
      const families = await Promise.all(taken.map((each) => this.#family(session, each)));
      const replaced = (await Promise.all(families.map((family) => replacedOf(host, session, family)))).flat();
      const wanted = replaced.map((each) => ({ ...each, paths: each.paths.filter((path) => options.paths?.includes(path) ?? true) })).filter(({ paths }) => paths.length > 0);
      const tried = (await Promise.all(wanted.map(async (each) => told(each.turn, await host.undoTurn("undo", each.call, { ...options, paths: each.paths, dryRun: true }))))).flat();
      if (options.dryRun) return { state: "dry_run", files: tried };
      if (!options.skipConflicts && options.overwrite !== true && tried.some(({ conflict }) => conflict !== null)) return { state: "conflict", files: tried };
      const files: TurnFile[] = [];
      for (const each of wanted) {
        const done = await this.#once(session, "undo", each.call, { ...options, paths: each.paths });
        const touched = told(each.turn, done);
        files.push(...touched);
        await this.#note(loop, host, each, { direction: done.direction ?? "redo", state: done.state, files: touched, broughtBack: true });
      }
      if (isLeft) for (const family of families) files.push(...(await this.#noteBack(loop, host, family)));
      return { state: files.length === 0 ? "nothing" : "done", files };
    });
  }

  /** What an engine that died, or lost its host, has left half done. What cannot be done now is the person's to ask for again. */
  async finish(session: string): Promise<void> {
    if (this.#acting.has(session)) return;
    const loop = await this.#parts.loop(session);
    const { undoing } = loop.log;
    if (undoing === null || this.#acting.has(session)) return;
    await this.#whole(loop, undoing).catch((error: unknown) => {
      if (!(error instanceof IntentFault)) throw error;
    });
  }

  #asked(act: UndoAsked["act"], turn: string, what: UndoAsked["what"], { skipConflicts, overwrite = false, paths }: UndoOptions): UndoAsked {
    return { undo: this.#parts.newId(), act, turn, what, skipConflicts, overwrite, ...(paths === undefined ? {} : { paths }) };
  }

  /** One after the other, written down before the first file is touched. Where the host is lost on the way, it is finished when there is one again. */
  async #whole(loop: SessionLoop, asked: UndoAsked): Promise<UndoReport> {
    const before = this.#acting.get(loop.session);
    const mine = (async () => {
      await before?.catch(() => {});
      if (asked.act === "undo" && turnOf(loop.log, asked.turn) === undefined && loop.log.undoing?.undo !== asked.undo) throw gone();
      if (asked.act !== "undo") onwards(loop.log, asked.turn);
      const letGo = this.#parts.hold();
      const open = loop.log.undoing;
      const isLeft = open?.undo === asked.undo;
      // What came to no end the first time may be done in part, as after an engine that died.
      const isAgain = loop.log.undoLeft?.act === asked.act && loop.log.undoLeft.turn === asked.turn;
      try {
        if (!isLeft) await loop.append({ type: "UndoStarted", ...asked });
        const report = await this.#patiently(loop, asked, isLeft || isAgain);
        await loop.append({ type: "UndoEnded", undo: asked.undo, state: report.state === "conflict" ? "conflict" : "done" });
        return report;
      } catch (error) {
        // By this engine, or by one before it: half of it may be done. Where there is no host now, it is finished when there is.
        const isHalf = open !== null || this.#touched.has(loop.session);
        const isLater = isHalf && error instanceof IntentFault && error.cause instanceof HostUnreachable;
        if (!isLater) await loop.append({ type: "UndoEnded", undo: asked.undo, state: isHalf ? "left" : "given_up" });
        throw error;
      } finally {
        this.#touched.delete(loop.session);
        letGo();
      }
    })();
    this.#acting.set(loop.session, mine);
    try {
      return await mine;
    } finally {
      if (this.#acting.get(loop.session) === mine) this.#acting.delete(loop.session);
    }
  }

  /** A host that dies on the way is there again a moment later, as a rule: what is half done is not left so. One that dies of it each time is not asked for ever. */
  async #patiently(loop: SessionLoop, asked: UndoAsked, isLeft: boolean): Promise<UndoReport> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#carryOut(loop, asked, isLeft || tries > 1);
      } catch (error) {
        const isLost = error instanceof IntentFault && error.cause instanceof CallUnanswered;
        if (!isLost || tries >= HOST_TRIES || !this.#touched.has(loop.session)) throw error;
      }
    }
  }

  /** `isLeft`: another engine may have done a part of it. */
  #carryOut(loop: SessionLoop, { act, turn, what, skipConflicts, overwrite, paths }: UndoAsked, isLeft: boolean): Promise<UndoReport> {
    const options: UndoOptions = { dryRun: false, skipConflicts, overwrite, ...(paths === undefined ? {} : { paths }) };
    // The conversation goes last: where that was done, all was.
    if (act === "undo" && turnOf(loop.log, turn) === undefined) return Promise.resolve({ state: "done", files: [] });
    if (act === "bring_back") return this.#bringBack(loop, turn, options, isLeft);
    return act === "undo" ? this.#undo(loop, turn, what, options) : this.#redo(loop, turn, what, options);
  }

  /** Each is tried dry before it is done, the first before anything is: half an undo would be worse than none. */
  async #files(loop: SessionLoop, turns: readonly TurnLog[], direction: "undo" | "redo", options: UndoOptions): Promise<UndoReport> {
    return withUndoFaults(async () => {
      const host = await this.#parts.host();
      const files: TurnFile[] = [];
      // Only the first is judged as it stands; the others stand on what the ones before them leave.
      for (const family of await Promise.all(turns.map((turn) => this.#family(loop.session, turn)))) {
        const tried = await tryFamily(host, family, direction, options);
        if (options.dryRun) files.push(...tried);
        else if (!options.skipConflicts && options.overwrite !== true && tried.some(({ conflict }) => conflict !== null)) return { state: "conflict", files: [...files, ...tried] };
        else files.push(...(await this.#takeBack(loop, host, family, direction, options)));
      }
      return { state: options.dryRun ? "dry_run" : files.length === 0 ? "nothing" : "done", files };
    });
  }

  /**
   * Which of a family wrote a file last is not known: what one finds changed by another is left at first, and tried again when
   * that one is done. What is left then, a stranger changed: that is written over only at the end, where the person said so.
   */
  async #takeBack(loop: SessionLoop, host: ToolHost, family: Family, direction: "undo" | "redo", options: UndoOptions): Promise<readonly TurnFile[]> {
    const found = new Map<string, readonly TurnFile[]>();
    const take = async (turns: readonly string[], how: UndoOptions): Promise<readonly string[]> => {
      const left: string[] = [];
      for (const turn of turns) {
        const done = await this.#once(loop.session, direction, turn, how);
        const touched = told(turn, done);
        // Asked a second time, the host tells of what was left only.
        found.set(turn, [...(found.get(turn) ?? []).filter(({ path }) => !touched.some((file) => file.path === path)), ...touched]);
        if (touched.some(({ conflict }) => conflict !== null)) left.push(turn);
        const noted = touched.length > 0 ? touched : await unnoted(loop.log, host, memberOf(loop.session, family, turn), direction);
        if (noted.length > 0) await this.#note(loop, host, memberOf(loop.session, family, turn), { direction, state: touched.length > 0 ? done.state : "done", files: noted });
      }
      return left;
    };
    if (family.agents.length === 0) await take([family.turn], options);
    else {
      let open: readonly string[] = direction === "undo" ? [family.turn, ...family.agents.toReversed()] : [...family.agents, family.turn];
      for (let before = open.length + 1; open.length > 0 && open.length < before; ) {
        before = open.length;
        open = await take(open, { ...options, skipConflicts: true, overwrite: false });
      }
      // Its own turn has the first and the last word of each file.
      const stubborn = [...family.agents, family.turn].filter((turn) => open.includes(turn));
      if (options.overwrite === true && stubborn.length > 0) await take(stubborn, { ...options, skipConflicts: true });
    }
    return [...found.values()].flat();
  }

  /** With a key, so that an answer that was lost on the way can be asked for again: nothing happens twice. */
  async #once(session: string, direction: "undo" | "redo", turn: string, options: UndoOptions): Promise<WireUndone> {
    this.#touched.add(session);
    const how = { ...options, call: this.#parts.newId() };
    const ask = async () => (await this.#parts.host()).undoTurn(direction, turn, how);
    try {
      return await ask();
    } catch (error) {
      if (error instanceof HostUnreachable || error instanceof CallUnanswered) return ask();
      throw error;
    }
  }

  /** Into the log: what was done, and what can be brought back now, as the host knows it. */
  async #note(loop: SessionLoop, host: ToolHost, { turn, session, within }: Member, done: Pick<UndoLog, "direction" | "state"> & { files: readonly TurnFile[]; broughtBack?: boolean }): Promise<void> {
    const mayHave = done.broughtBack === true || done.files.some(({ replaced }) => replaced) || loop.log.undone.some((each) => each.turn === turn && each.replaced !== undefined);
    const replaced = mayHave ? ((await host.listTurns(session)).find((each) => each.turn === turn)?.replaced ?? []).flatMap(({ paths }) => paths) : [];
    const files = done.files.map(({ turn: _turn, ...file }): UndoneFile => file);
    await loop.append({ type: "UndoDone", turn, ...done, files, ...(replaced.length === 0 ? {} : { replaced: [...new Set(replaced)] }), ...(within === null ? {} : { within }) });
  }

  /** What the host has brought back, and the engine that asked for it could not write down. */
  async #noteBack(loop: SessionLoop, host: ToolHost, family: Family): Promise<readonly TurnFile[]> {
    const noted: TurnFile[] = [];
    for (const member of [memberOf(loop.session, family, family.turn), ...family.members]) {
      const known = loop.log.undone.find(({ turn }) => turn === member.turn)?.replaced ?? [];
      if (known.length === 0) continue;
      const kept = new Set(((await host.listTurns(member.session)).find(({ turn }) => turn === member.turn)?.replaced ?? []).flatMap(({ paths }) => paths));
      const files = known.filter((path) => !kept.has(path)).map((path): TurnFile => ({ path, action: "restore", conflict: null, turn: member.turn }));
      if (files.length === 0) continue;
      await this.#note(loop, host, member, { direction: "redo", state: "done", files, broughtBack: true });
      noted.push(...files);
    }
    return noted;
  }

  /** A turn, and the turns of the agents that worked for it. */
  async #family(session: string, turn: TurnLog): Promise<Family> {
    const calls = new Set(turn.steps.flatMap((step) => step.calls.map(({ id }) => id)));
    const agents = (await this.#parts.children(session)).filter(({ origin }) => origin?.kind === "subagent" && calls.has(origin.by ?? ""));
    const turns = await Promise.all(agents.map(async ({ id }) => (await this.#parts.loop(id)).log.turns.map((each) => ({ turn: each.id, session: id, within: turn.id }))));
    const members = turns.flat();
    return { turn: turn.id, agents: members.map((each) => each.turn), members };
  }

  async #idle(session: string): Promise<SessionLoop> {
    const loop = await this.#parts.loop(session);
    if (isAtWork(loop.log)) throw busy();
    return loop;
  }

  /** A turn that began while the host was asked, or in another window, is not ended by this. */
  async #leave(loop: SessionLoop, make: (log: SessionLog) => readonly AgentEvent[] | null): Promise<void> {
    let wasBusy = false;
    await loop.appendIf((log) => {
      wasBusy = isAtWork(log);
      return wasBusy ? null : make(log);
    });
    if (wasBusy) throw busy();
  }

  #message(text: string | null): readonly AgentEvent[] {
    return text === null ? [] : [{ type: "UserMessage", message: this.#parts.newId(), text }];
  }

  #mustBe(loop: SessionLoop, branch: string): void {
    if (loop.log.branch !== branch) throw gone();
  }
}

interface Family {
  readonly turn: string;
  /** Oldest first. */
  readonly agents: readonly string[];
  /** The same, with their sessions. */
  readonly members: readonly Member[];
}

/** A turn of a family. */
interface Member {
  readonly turn: string;
  readonly session: string;
  /** The turn for which an agent worked; null: it is that one. */
  readonly within: string | null;
}

type TurnFile = UndoneFile & { readonly turn: string };

function memberOf(session: string, { members }: Family, turn: string): Member {
  return members.find((each) => each.turn === turn) ?? { turn, session, within: null };
}

/** As the host tells it: a conflict counts where it was left alone. */
function told(turn: string, { files }: WireUndone): TurnFile[] {
  return files.map(({ path, action, conflict, replaced, done }) => ({ path, action, conflict: done === true ? null : (conflict ?? null), ...(replaced === true && done === true ? { replaced } : {}), turn }));
}

/** What can be brought back of a family; of a path that was replaced twice the newest only, the older one comes after it. */
async function replacedOf(host: ToolHost, session: string, family: Family): Promise<readonly (Member & { call: string; paths: readonly string[] })[]> {
  const members = [memberOf(session, family, family.turn), ...family.members];
  const sessions = [...new Set(members.map((each) => each.session))];
  const turns = (await Promise.all(sessions.map((id) => host.listTurns(id)))).flat();
  return members.flatMap((member) => {
    const seen = new Set<string>();
    return (turns.find(({ turn }) => turn === member.turn)?.replaced ?? []).toReversed().map(({ call, paths }) => {
      const newest = paths.filter((path) => !seen.has(path));
      for (const path of newest) seen.add(path);
      return { ...member, call, paths: newest };
    });
  });
}

async function withUndoFaults(act: () => Promise<UndoReport>): Promise<UndoReport> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof HostUnreachable) throw new IntentFault({ ...error.fault, hint: error.fault.hint, retryable: true }, error);
    if (error instanceof CallUnanswered) throw new IntentFault({ code: "host_silent", message: `The host gave no answer: ${error.message}.`, hint: "Try again; what was put back already is not touched twice.", retryable: true }, error);
    if (error instanceof HostRefused && error.refusal?.reason === "disk_full") throw new IntentFault({ code: "undo_no_room", message: `The host has no room to write down what it puts back: ${error.message}`, hint: "Make room on the disk with Outrigger's state folder, then undo again. Nothing is done twice.", retryable: true });
    if (error instanceof HostRefused) throw new IntentFault({ code: "undo_refused", message: `The host did not put the files back: ${error.message}`, hint: "The conversation can still be undone by itself.", retryable: false });
    throw error;
  }
}

/**
 * As it stands now. A file that several of the family changed is as one of them left it: for the others that is no stranger's change.
 * Where none of them knows it, somebody else was there.
 */
async function tryFamily(host: ToolHost, { turn, agents }: Family, direction: "undo" | "redo", options: UndoOptions): Promise<readonly TurnFile[]> {
  const dry = async (id: string) => (await host.undoTurn(direction, id, { ...options, dryRun: true })).files.map((file): TurnFile => ({ path: file.path, action: file.action, conflict: file.conflict ?? null, turn: id }));
  const files = (await Promise.all([turn, ...agents].map(dry))).flat();
  const known = new Set(files.flatMap(({ path, conflict }) => (conflict === null ? [path] : [])));
  return files.map((file) => (known.has(file.path) ? { ...file, conflict: null } : file));
}

/** Done by an engine that died before it could write that down: what the host has then, and the log does not know of. */
async function unnoted({ undone }: SessionLog, host: ToolHost, { turn, session }: Member, direction: "undo" | "redo"): Promise<readonly TurnFile[]> {
  const known = undone.find((each) => each.turn === turn);
  if ((known?.direction ?? "redo") === direction) return [];
  const state = (await host.listTurns(session)).find((each) => each.turn === turn)?.state;
  if (state !== (direction === "undo" ? "undone" : "done")) return [];
  const files = direction === "redo" ? (known?.files ?? []) : (await host.turnDiff(turn)).files;
  return files.map(({ path }) => ({ path, action: "restore", conflict: null, turn }));
}

/** The newest branch that has this turn, with it and those after it. */
function onwards(log: SessionLog, turn: string): { readonly branch: string; readonly turns: readonly TurnLog[] } {
  for (const { id } of log.branches.toReversed()) {
    const turns = turnsOfBranch(log, id) ?? [];
    const place = turns.findIndex((each) => each.id === turn);
    if (place !== -1) return { branch: id, turns: turns.slice(place) };
  }
  throw gone();
}

function turnOf(log: SessionLog, id: string): TurnLog | undefined {
  return log.turns.find((turn) => turn.id === id);
}

function busy(): IntentFault {
  return new IntentFault({ code: "busy", message: "A turn is running in this session.", hint: "Press Stop first.", retryable: true });
}

function gone(): IntentFault {
  return new IntentFault({ code: "no_turn", message: "This part of the conversation is not there any more.", hint: "Look at the tree of branches.", retryable: false });
}
