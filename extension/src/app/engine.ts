// The engine of one browser profile: sessions taken up, intents carried out, views made. Knows no browser API.
import type { AgentEvent, Fault, SessionConfig, StoredEvent, ThinkingLevel } from "../agent/events.ts";
import { HOST_WAIT_MS } from "../agent/limits.ts";
import { DEFAULT_CONFIG, type SessionLog } from "../agent/log.ts";
import { withProfile } from "../agent/profile.ts";
import { readProfile } from "../agent/read-profile.ts";
import { countOf } from "../agent/meter.ts";
import { activeTurn, isAtWork, withAttachments } from "../agent/step.ts";
import { HostUnreachable } from "../host/faults.ts";
import type { SessionRow } from "../storage/storage.ts";
import type { Attachment } from "../wire/attachment.ts";
import { abandon } from "./abandon.ts";
import { Answers } from "./answers.ts";
import { Attachments } from "./attachments.ts";
import { Branches } from "./branches.ts";
import { Changes } from "./changes.ts";
import { ChildSessions } from "./child-sessions.ts";
import { Drafts } from "./drafts.ts";
import { Grants } from "./grants.ts";
import { inspectPrompt, type InspectedPart } from "./inspect-prompt.ts";
import { IntentFault } from "./intent-fault.ts";
import { belongs, Library } from "./library.ts";
import { Profiles } from "./profiles.ts";
import { endBeats, endOtherBeats, endStrayBeats, retime } from "./heartbeats.ts";
import { readConfig } from "./read-config.ts";
import { requireText } from "./require-text.ts";
import type { RuleBook } from "./rule-book.ts";
import { Schedules } from "./schedules.ts";
import { SessionLoops, type SessionLoopsOptions } from "./session-loops.ts";
import { SessionQueue } from "./session-queue.ts";
import type { SettingsBook } from "./settings.ts";
import { TokenCounts } from "./token-counts.ts";
import { Transfer } from "./transfer.ts";
import type { AttachmentDraft, Receipt } from "./views.ts";

export interface EngineOptions extends SessionLoopsOptions {
  /** Resolves when no other context has the session. */
  readonly free: (session: string) => Promise<void>;
  /** Loaded by `start`; the world gives its rules. */
  readonly book: RuleBook;
  /** Names a conversation after its first turn; null: it keeps its first words. */
  readonly title?: (log: SessionLog) => Promise<string | null>;
  /** Loaded by `start`. Left out: nothing was set. */
  readonly settings?: SettingsBook;
  /** A profile was saved or removed. */
  readonly onProfiles?: () => void;
  /** Wakes the background at a time; null takes the alarm back. Left out: nothing wakes it. */
  readonly setAlarm?: (at: number | null) => void;
}

/** What is set of it changes; a level of thinking that is named and undefined is taken away. */
type ConfigChange = Partial<Omit<SessionConfig, "thinking">> & { thinking?: ThinkingLevel | undefined };

export class Engine {
  readonly #options: EngineOptions;
  readonly #loops: SessionLoops;
  readonly queue: SessionQueue;
  readonly answers: Answers;
  readonly branches: Branches;
  readonly children: ChildSessions;
  readonly schedules: Schedules;
  readonly profiles: Profiles;
  readonly grants: Grants;
  readonly attachments: Attachments;
  readonly drafts: Drafts;
  readonly changes: Changes;
  readonly library: Library;
  readonly transfer: Transfer;
  readonly #book: RuleBook;
  readonly #tokens: TokenCounts;
  /** Turns whose words are being written down for the search. */
  #noting: Promise<unknown> = Promise.resolve();
  /** Answers whose tokens are being counted. */
  #counting: Promise<unknown> = Promise.resolve();
  #config: SessionConfig = DEFAULT_CONFIG;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#book = options.book;
    this.#tokens = new TokenCounts(options.storage);
    const { storage, book, onSessions } = options;
    this.#loops = new SessionLoops({
      ...options,
      onEvents: (session, events, log) => {
        options.onEvents(session, events, log);
        for (const { event } of events) if (event.type === "AssistantDone") this.#counted(log, event.step);
        if (events.some(({ event }) => event.type === "TurnEnd")) void this.#turnEnded(log);
        if (events.some(({ event }) => event.type === "HandedOver")) void this.#handedOver(log);
        for (const { event } of events) if (event.type === "ToolResult" && event.origin === "engine" && event.isError) void this.children.release(session, event.call).catch(() => {});
      },
      onAwake: ({ session, undoing }) => {
        if (undoing !== null) void this.branches.finish(session).catch((error: unknown) => options.world.onBroken(session, error));
      },
      // Where the other one cannot be read, another window has it, and tells.
      owed: (log) => this.children.owed(log).catch(() => []),
    });
    const newId = () => options.world.newId();
    const now = () => options.world.now();
    const loop = (session: string) => this.#loops.existing(session);
    this.profiles = new Profiles(storage, options.onProfiles ?? (() => {}));
    this.grants = new Grants({ loop, book, newId, now, spread: (session, rule) => this.children.spread(session, rule) });
    this.answers = new Answers({ loop, grants: this.grants, newId });
    this.children = new ChildSessions({ storage, loop: (session) => this.#loops.take(session), newId, sideModel: () => options.world.helperModel("side") });
    this.schedules = new Schedules({ storage, children: this.children, now, setAlarm: options.setAlarm ?? (() => {}), onChange: onSessions });
    this.branches = new Branches({ loop, newId, host: () => options.world.hostReady(HOST_WAIT_MS), children: (session) => this.children.of(session), hold: () => options.world.hold("turn"), abandon });
    this.queue = new SessionQueue({ loop, newId, abandon, attach: (session, ids) => this.attachments.take(session, ids) });
    this.attachments = new Attachments({ storage, newId, now });
    this.drafts = new Drafts(storage);
    this.changes = new Changes({ world: options.world, loop, children: (session) => this.children.of(session) });
    this.library = new Library({ storage, now, limitMiB: () => options.settings?.get().retentionMiB ?? null, destroy: (session) => this.#destroy(session), onChange: onSessions });
    this.transfer = new Transfer({ storage, newId, now, onSessions });
  }

  /** What a new session begins with. */
  get defaults(): SessionConfig {
    return this.#config;
  }

  /** The one way back to work after a start: whatever is not idle goes on. */
  async start(): Promise<void> {
    const { storage, settings } = this.#options;
    const [defaults, rows] = await Promise.all([storage.readSetting("defaults"), storage.listSessions(), this.#book.load(), this.#tokens.load(), settings?.load(), this.library.load(), this.drafts.load()]);
    this.#config = readConfig(defaults);
    for (const row of rows) {
      if (owes(row)) await this.#takeUp(row.id);
    }
    await this.schedules.load(() => endStrayBeats(this.schedules, (session) => this.#configOf(session)));
  }

  /** Where another context has it, as soon as that one lets it go, if anything is left to do by then. */
  async #takeUp(session: string): Promise<void> {
    try {
      (await this.#loops.take(session)).pump();
    } catch (error) {
      if (error instanceof IntentFault && error.fault.code === "locked") void this.#takeUpLater(session).catch(() => {});
    }
  }

  async #takeUpLater(session: string): Promise<void> {
    await this.#options.free(session);
    if ((await this.sessions()).some((row) => row.id === session && owes(row))) await this.#takeUp(session);
  }

  /** Something outside changed (the host's connection): what was waiting for it may be due. */
  async pump(): Promise<void> {
    await this.#loops.pump();
  }

  /** But for those that were deleted a moment ago. */
  async sessions(): Promise<readonly SessionRow[]> {
    return (await this.#options.storage.listSessions()).filter(({ deletedAt }) => deletedAt === undefined);
  }

  async startSession(text: string, config: Partial<SessionConfig> = {}, attached: readonly string[] = []): Promise<string> {
    if (attached.length === 0) requireText(text);
    const session = this.#options.world.newId();
    const attachments = await this.attachments.take(session, attached);
    const loop = await this.#loops.take(session);
    const begun = { ...this.#config, ...config };
    await this.#beat(session, begun);
    await loop.append({ type: "SessionStarted", config: begun }, this.#message(text, attachments));
    return session;
  }

  async saveProfile(value: unknown): Promise<Receipt> {
    const receipt = await this.profiles.save(value);
    const saved = readProfile(value);
    if (saved !== null) await retime(this.schedules, saved.id, saved.interval);
    return receipt;
  }

  /** A built-in one is as it came again, and has no heartbeat. */
  async removeProfile(id: string): Promise<Receipt> {
    const receipt = await this.profiles.remove(id);
    await retime(this.schedules, id, undefined);
    return receipt;
  }

  async sendMessage(session: string, text: string, attached: readonly string[] = []): Promise<void> {
    if (attached.length === 0) requireText(text);
    const loop = await this.#loops.existing(session);
    if (isAtWork(loop.log)) throw busy();
    const attachments = await this.attachments.take(session, attached);
    let wasBusy = false;
    await loop.appendIf((log) => {
      // Another window may have been quicker: its turn is not ended by this message.
      wasBusy = isAtWork(log);
      return wasBusy ? null : [...abandon(log), this.#message(text, attachments)];
    });
    if (wasBusy) throw busy();
  }

  /** Judged by the model that would get it. */
  async attach(session: string | null, draft: AttachmentDraft): Promise<Attachment> {
    const { model } = session === null ? this.#config : (await this.#loops.existing(session)).log.config;
    const { world } = this.#options;
    return this.attachments.add(draft, { label: await world.modelLabel(model), facts: await world.modelFacts(model) });
  }

  async stop(session: string): Promise<void> {
    const loop = await this.#loops.existing(session);
    await loop.appendIf((log) => {
      const turn = activeTurn(log);
      const summary: AgentEvent[] = log.compactRequested === null ? [] : [{ type: "CompactFailed", compaction: log.compactRequested, fault: STOPPED }];
      return [...summary, ...(turn === undefined ? [] : [{ type: "StopRequested" as const, turn: turn.id }])];
    });
  }

  /** Retry, Continue and Retry now: go on from the last whole step. */
  async resume(session: string): Promise<void> {
    const loop = await this.#loops.existing(session);
    // Of a conversation whose last turn failed, only the summary was waited for.
    if (loop.hurry()) return;
    await loop.appendIf((log) => {
      const turn = log.turns.at(-1);
      const canResume = turn !== undefined && (turn.paused !== null || turn.outcome === "failed" || turn.outcome === "cancelled");
      return canResume ? [{ type: "TurnResumed", turn: turn.id, by: "user" }] : null;
    });
    loop.pump();
  }

  /** The last turn, where it failed, was stopped or waits, goes on; any other is asked once more on a branch of its own. */
  async retryTurn(session: string, turn: string): Promise<void> {
    const { log } = await this.#loops.existing(session);
    const last = log.turns.at(-1);
    if (last?.id === turn && last.outcome !== "complete" && (last.outcome !== null || last.paused !== null)) return this.resume(session);
    return this.branches.retry(session, turn);
  }

  /** Changes the session, and what the next new one begins with; but what a session may do by itself is its own. */
  async configure(session: string | null, change: ConfigChange): Promise<void> {
    const { mode, ...lasting } = change;
    this.#config = changed(this.#config, session === null && mode !== undefined ? change : lasting);
    await this.#options.storage.saveSetting("defaults", this.#config);
    if (session === null) return;
    const loop = await this.#loops.existing(session);
    await loop.appendIf((log) => [{ type: "SessionConfigured", config: changed(log.config, change) }]);
  }

  /** Makes room in the window now, or at the next step boundary. */
  async compact(session: string): Promise<void> {
    const loop = await this.#loops.existing(session);
    await loop.append({ type: "CompactRequested", compaction: this.#options.world.newId() });
  }

  async undoCompaction(session: string, compaction: string): Promise<void> {
    await (await this.#loops.existing(session)).append({ type: "CompactionUndone", compaction });
  }

  async pin(session: string, turn: string, pinned: boolean): Promise<void> {
    await (await this.#loops.existing(session)).append({ type: "TurnPinned", turn, pinned });
  }

  /** The session goes on with this profile from its next turn; null: new ones begin with it. */
  async selectProfile(session: string | null, id: string): Promise<void> {
    const profile = await this.profiles.find(id);
    const before = session === null ? this.#config : (await this.#loops.existing(session)).log.config;
    const config = withProfile(before, profile);
    if (session !== null) {
      await this.#beat(session, config);
      await (await this.#loops.existing(session)).append({ type: "SessionConfigured", config });
      return endOtherBeats(this.schedules, session, config.profile);
    }
    this.#config = config;
    await this.#options.storage.saveSetting("defaults", config);
  }

  async inspectPrompt(session: string): Promise<readonly InspectedPart[]> {
    const loop = await this.#loops.existing(session);
    try {
      return await inspectPrompt(loop.log, await this.#options.world.hostReady(HOST_WAIT_MS), this.#book.list(), this.#options.world.now(), (await this.#options.world.modelFacts(loop.log.config.model)).name ?? null);
    } catch (error) {
      if (error instanceof HostUnreachable) throw new IntentFault({ ...error.fault, retryable: true });
      throw error;
    }
  }

  async rename(session: string, title: string): Promise<void> {
    requireText(title);
    const loop = await this.#loops.existing(session);
    await loop.append({ type: "TitleSet", title: title.trim(), by: "user" });
  }

  async pinSession(session: string, pinned: boolean): Promise<void> {
    await (await this.#loops.existing(session)).append({ type: "SessionPinned", pinned });
    void this.library.sweep();
  }

  async tagSession(session: string, tags: readonly string[]): Promise<void> {
    const known = tags.map((tag) => tag.trim().slice(0, LONGEST_TAG)).filter((tag) => tag !== "");
    await (await this.#loops.existing(session)).append({ type: "SessionTagged", tags: [...new Set(known)].slice(0, MOST_TAGS) });
  }

  /** What runs is stopped. What belongs to it goes with it, but not what a person forked from it. */
  async deleteSession(session: string, forGood = true): Promise<void> {
    const loop = await this.#loops.existing(session);
    if (activeTurn(loop.log) !== undefined) {
      await this.stop(session);
      await loop.until((log) => activeTurn(log) === undefined, 5_000);
    }
    await this.#loops.letGo(session);
    if (forGood) return this.#destroy(session);
    for (const child of await this.children.of(session)) {
      if (belongs(child) && child.deletedAt === undefined) await this.deleteSession(child.id, false);
    }
    await this.library.trash(session);
    await endBeats(this.schedules, session);
  }

  async restoreSession(session: string): Promise<void> {
    if (!(await this.library.restore(session))) throw new IntentFault({ code: "no_session", message: "This session is gone for good.", hint: null, retryable: false });
    for (const child of await this.children.of(session)) if (belongs(child)) await this.library.restore(child.id);
  }

  /** Everything that was said and attached; with `everything` models, keys, rules and settings too. */
  async deleteAll(everything: boolean): Promise<void> {
    for (const { id, status } of await this.sessions()) {
      if (status === "running" || status === "needs_you") await this.stop(id).catch(() => {});
    }
    await this.#loops.letAllGo();
    await this.drafts.clear();
    await this.#options.storage.clear(everything);
    if (everything) {
      await this.#book.load();
      await this.#options.settings?.load();
      this.#config = DEFAULT_CONFIG;
      this.#options.onProfiles?.();
    }
    await this.#tokens.load();
    await this.library.load();
    await this.schedules.load();
    this.#options.onSessions();
  }

  async #destroy(session: string): Promise<void> {
    await this.#loops.letGo(session);
    for (const child of await this.children.of(session)) if (belongs(child)) await this.#destroy(child.id);
    // Its last words would outlive it.
    await this.#noting;
    await this.#options.storage.deleteSession(session);
    await this.drafts.forget(session);
    await endBeats(this.schedules, session);
    this.#options.onSessions();
  }

  async #name(log: SessionLog): Promise<void> {
    const title = (await this.#options.title?.(log)) ?? null;
    if (title === null) return;
    // A person may have named it, or deleted it, meanwhile: written to, it would be back in the list.
    if (!(await this.sessions()).some(({ id }) => id === log.session)) return;
    const loop = await this.#loops.existing(log.session);
    await loop.appendIf((now) => (now.title === null ? [{ type: "TitleSet", title, by: "engine" }] : null));
  }

  /** Of the model that a turn begins with. */
  async tokenFactor(model: string): Promise<number | null> {
    return this.#tokens.factor(await this.#nameOf(model));
  }

  /** Two that are stored apart may be one model. */
  async #nameOf(model: string): Promise<string> {
    return (await this.#options.world.modelFacts(model)).name ?? model;
  }

  #counted({ turns }: SessionLog, id: string): void {
    const turn = turns.at(-1);
    const step = turn?.steps.find((each) => each.id === id);
    const count = step === undefined ? null : countOf(step);
    if (turn === undefined || count === null) return;
    const learned = this.#nameOf(turn.config.model).then((name) => this.#tokens.learn(name, count));
    this.#counting = Promise.all([this.#counting, learned]).catch(() => {});
  }

  async #turnEnded(log: SessionLog): Promise<void> {
    await this.#counting;
    await this.#tokens.save().catch(() => {});
    const noted = this.library.index.note(log).catch(() => {});
    this.#noting = Promise.all([this.#noting, noted]);
    await noted;
    if (log.title === null && log.turns.length === 1) await this.#name(log).catch(() => {});
    await this.library.sweep();
  }

  /** As when a person chooses that profile: what works for another session, or by a schedule, cannot hand over. */
  async #handedOver({ session, config }: SessionLog): Promise<void> {
    await endOtherBeats(this.schedules, session, config.profile).catch((error: unknown) => this.#options.world.onBroken(session, error));
  }

  /** A profile that is gone has no heartbeat. */
  async #beat(session: string, config: SessionConfig): Promise<void> {
    const profile = config.profile === undefined ? undefined : (await this.profiles.list()).find(({ id }) => id === config.profile);
    if (profile !== undefined) await this.schedules.beat(session, profile, config);
  }

  /** Null: there is no such session, or it was deleted. */
  async #configOf(session: string): Promise<SessionConfig | null> {
    if (!(await this.sessions()).some(({ id }) => id === session)) return null;
    return (await this.#loops.existing(session)).log.config;
  }

  /** For whoever looks at it: of one that was deleted there is nothing to see. */
  async readEvents(session: string, after: number, most?: number): Promise<readonly StoredEvent[]> {
    return this.library.isTrashed(session) ? [] : this.#options.storage.readEvents(session, after, most);
  }

  #message(text: string, attachments: readonly Attachment[] = []): AgentEvent {
    return { type: "UserMessage", message: this.#options.world.newId(), text, ...withAttachments(attachments) };
  }
}

function changed(config: SessionConfig, change: ConfigChange): SessionConfig {
  const { thinking, ...rest } = { ...config, ...change };
  return thinking === undefined ? rest : { ...rest, thinking };
}

/** Whether a start takes it up. */
function owes({ deletedAt, status, undoing }: SessionRow): boolean {
  return deletedAt === undefined && (status === "running" || status === "needs_you" || undoing === true);
}

const STOPPED: Fault = { code: "cancelled", message: "Stopped by you.", hint: null, retryable: false };

function busy(): IntentFault {
  return new IntentFault({ code: "busy", message: "A turn is running in this session.", hint: "Queue the message, or press Stop first.", retryable: true });
}

const LONGEST_TAG = 40;
const MOST_TAGS = 20;
