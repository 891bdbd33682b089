// The person of a trial: says things, answers cards, stops, goes back. Remembers what they did, whatever dies, and does again what was lost
// before anybody told them that it was done.
import type { SessionLog, CallLog } from "../../agent/log.ts";
import { IntentFault } from "../../app/intent-fault.ts";
import type { StoredEvent } from "../../wire/events.ts";
import type { FakeWorld } from "../fake-world.ts";
import { Chance } from "./chance.ts";
import { marked } from "./tags.ts";
import { HUNKS } from "./watched-host.ts";

/** What was pressed on a card. */
export interface Pressed {
  readonly session: string;
  readonly call: string;
  readonly tool: string;
  /** The arguments that the card showed. */
  readonly args: Readonly<Record<string, unknown>> | null;
  readonly decision: "allow" | "deny";
  readonly hunks: readonly string[] | null;
  readonly at: number;
  /** The engine said that it holds. */
  acknowledged: boolean;
}

export interface Granted {
  readonly kind: "lease" | "rule";
  readonly session: string;
  readonly tiers: readonly string[];
  readonly until: number;
  readonly calls: number | null;
  readonly tool: string;
  readonly effect: "allow" | "deny";
  readonly at: number;
  acknowledged: boolean;
}

/** What was said, by its mark. */
export interface Said {
  readonly tag: string;
  readonly how: "message" | "queue" | "steer" | "edit" | "side";
  acknowledged: boolean;
  withdrawn: boolean;
}

/** One act of the plan. */
interface Act {
  readonly name: string;
  /** Done as soon as so much was written; null: when nothing runs. */
  readonly at: number | null;
  readonly run: (life: Life) => Promise<unknown>;
  /** It was under way when the engine died: whether it is in the log all the same. */
  readonly landed: (life: Life) => boolean;
  tries: number;
}

/** What the person has before them. */
export interface Life {
  readonly world: FakeWorld;
  readonly isDead: () => boolean;
  /** Ends with the engine. */
  readonly died: Promise<unknown>;
  readonly writes: () => number;
  readonly events: (session: string) => readonly StoredEvent[];
  readonly sessions: () => readonly string[];
  readonly logOf: (session: string) => SessionLog;
  /** Something was written, or a while went by. */
  readonly news: (ms: number) => Promise<void>;
}

export class Person {
  readonly pressed: Pressed[] = [];
  readonly granted: Granted[] = [];
  readonly said: Said[] = [];
  readonly faults: string[] = [];
  readonly did: string[] = [];
  /** How often something was asked to go on that had stopped. */
  readonly resumed = new Map<string, number>();
  readonly #seed: number;
  readonly #acts: Act[];
  readonly #chance: Chance;
  #main: string | null = null;
  #pending: Act | null = null;
  #spoken = 0;

  constructor(seed: number) {
    this.#seed = seed;
    this.#chance = new Chance(seed, "person");
    this.#acts = this.#plan();
  }

  get main(): string | null {
    return this.#main;
  }

  /** Until nothing is left to do and nothing runs. */
  async live(life: Life): Promise<void> {
    if (this.#pending !== null && this.#pending.landed(life)) this.#done(this.#pending);
    this.#pending = null;
    for (;;) {
      this.#main ??= life.sessions().find((session) => life.logOf(session).origin === null) ?? null;
      const isIdle = !life.sessions().some((session) => isAtWork(life.logOf(session)));
      const due = this.#acts.find(({ at }) => (at === null ? isIdle && this.#mayGoOn(life) : this.#main !== null && life.writes() >= at));
      const acted = (due !== undefined && due.at !== null && (await this.#act(life, due))) || (await this.#answer(life)) || (await this.#mend(life)) || (due !== undefined && (await this.#act(life, due)));
      if (acted) continue;
      // Something may have begun while cards were looked for.
      const isOver = isIdle && !life.sessions().some((session) => isAtWork(life.logOf(session)));
      if (isOver && this.#acts.every(({ at }) => at !== null) && this.#isQuiet(life)) return;
      await life.news(isIdle ? 5_000 : 400);
      await this.#browser(life);
    }
  }

  /** As the browser's alarm. */
  async #browser(life: Life): Promise<void> {
    const { schedules } = life.world.engine;
    if (schedules.list().some(({ enabled, nextAt }) => enabled && nextAt !== null && nextAt <= Date.now())) await this.#race(life, schedules.tick());
  }

  #isQuiet(life: Life): boolean {
    const waiting = life.world.engine.schedules.list().filter(({ enabled, nextAt }) => enabled && nextAt !== null);
    return waiting.length === 0;
  }

  /** What waits in the queue is said before anything else is. */
  #mayGoOn(life: Life): boolean {
    if (this.#main === null) return true;
    return life.logOf(this.#main).queue.length === 0;
  }

  // What is planned.

  #plan(): Act[] {
    const chance = new Chance(this.#seed, "plan");
    const acts: Act[] = [this.#begin(chance)];
    for (let left = chance.below(4); left > 0; left -= 1) acts.push(this.#idleAct(chance));
    for (let left = chance.below(4); left > 0; left -= 1) acts.push(this.#busyAct(chance, 4 + chance.below(70)));
    return acts;
  }

  #begin(chance: Chance): Act {
    const tag = this.#newTag("m");
    const mode = chance.choose({ ask: 6, accept_edits: 3, plan: 1 });
    const limits = chance.happens(0.15) ? { steps: 2 } : {};
    const tools = chance.happens(0.1) ? { tools: ["fs_read", "fs_edit", "exec_run", "finish", "spawn_agent", "ask_question"] } : {};
    const hooks = chance.happens(0.2) ? { hooks: ["finish_todos", "verify_changes", "repeated_failure", "wrap_up"] } : {};
    const said = this.#says(tag, "message");
    return {
      name: "begin",
      at: null,
      tries: 0,
      run: async ({ world }) => {
        this.#main = await world.engine.startSession(`Do it ${marked(tag)}`, { mode, limits, ...tools, ...hooks });
        said.acknowledged = true;
      },
      landed: (life) => life.sessions().length > 0,
    };
  }

  #idleAct(chance: Chance): Act {
    const kind = chance.choose({ message: 5, edit: 2, retry: 2, remove: 2, undo: 3, redo: 2, side: 2, fork: 1, compact: 2, select: 1, beat: 1, pinTurn: 1, undoCompaction: 0.5 });
    const pick = chance.below(100);
    const what = chance.choose({ conversation: 2, files: 1, both: 2 });
    const main = () => this.#main ?? "";
    const turnOf = (log: SessionLog) => log.turns[pick % Math.max(1, log.turns.length)]?.id ?? "";
    const options = { dryRun: false, skipConflicts: false };
    switch (kind) {
      case "message": {
        const tag = this.#newTag("m");
        const said = this.#says(tag, "message");
        return this.#idle(kind, ["UserMessage"], async ({ world }) => (await world.engine.sendMessage(main(), `And then ${marked(tag)}`), (said.acknowledged = true)));
      }
      case "edit": {
        const tag = this.#newTag("e");
        const said = this.#says(tag, "edit");
        return this.#idle(kind, ["BranchStart"], async ({ world, logOf }) => (await world.engine.branches.edit(main(), turnOf(logOf(main())), `Rather ${marked(tag)}`), (said.acknowledged = true)));
      }
      case "retry":
        return this.#idle(kind, ["BranchStart", "TurnResumed"], ({ world, logOf }) => world.engine.retryTurn(main(), turnOf(logOf(main()))));
      case "remove":
        return this.#idle(kind, ["BranchStart"], ({ world, logOf }) => world.engine.branches.remove(main(), turnOf(logOf(main()))));
      case "undo":
        return this.#idle(kind, ["BranchStart", "UndoDone"], ({ world, logOf }) => world.engine.branches.undo(main(), turnOf(logOf(main())), what, options));
      case "redo":
        return this.#idle(kind, ["BranchSelected", "UndoDone"], ({ world, logOf }) => {
          const log = logOf(main());
          const turns = log.branches.flatMap((branch) => branch.turns).concat(log.turns);
          return world.engine.branches.redo(main(), turns[pick % Math.max(1, turns.length)]?.id ?? "", what, options);
        });
      case "side": {
        const tag = this.#newTag("side");
        const said = this.#says(tag, "side");
        return { ...this.#idle(kind, [], async ({ world }) => (await world.engine.children.side(main(), `By the way ${marked(tag)}`), (said.acknowledged = true))), landed: (life) => life.sessions().some((session) => holds(life.events(session), tag)) };
      }
      case "fork":
        return this.#idle(kind, [], ({ world }) => world.engine.children.fork(main()));
      case "compact":
        return this.#idle(kind, ["CompactRequested"], ({ world }) => world.engine.compact(main()));
      case "undoCompaction":
        return this.#idle(kind, ["CompactionUndone"], ({ world, logOf }) => world.engine.undoCompaction(main(), logOf(main()).compactions.at(-1)?.id ?? ""));
      case "select":
        return this.#idle(kind, ["BranchSelected"], ({ world, logOf }) => {
          const { branches } = logOf(main());
          return world.engine.branches.select(main(), branches[pick % branches.length]?.id ?? "");
        });
      case "pinTurn":
        return this.#idle(kind, ["TurnPinned"], ({ world, logOf }) => world.engine.pin(main(), turnOf(logOf(main())), true));
      case "beat":
        return this.#idle(kind, [], async ({ world }) => {
          await world.engine.saveProfile({ id: "beating", name: "Beating", interval: 2 });
          await world.engine.selectProfile(main(), "beating");
        });
    }
  }

  #idle(name: string, types: readonly string[], run: Act["run"]): Act {
    let before: number | null = null;
    const count = (life: Life) => life.events(this.#main ?? "").filter(({ event }) => types.includes(event.type)).length;
    return {
      name,
      at: null,
      tries: 0,
      run: (life) => {
        before = count(life);
        return run(life);
      },
      landed: (life) => before !== null && count(life) > before,
    };
  }

  #busyAct(chance: Chance, at: number): Act {
    const kind = chance.choose({ queue: 4, steer: 4, stop: 4, lease: 2, compact: 1, mode: 2, queueMove: 1, queueRemove: 1, hurry: 2, denyRule: 1, revokeLease: 1 });
    const main = () => this.#main ?? "";
    const mode = chance.choose({ ask: 1, accept_edits: 1 });
    switch (kind) {
      case "queue":
      case "steer": {
        const tag = this.#newTag(kind === "queue" ? "q" : "s");
        const said = this.#says(tag, kind);
        return { ...this.#idle(kind, ["QueueAdded"], async ({ world }) => (await world.engine.queue.add(main(), `By then ${marked(tag)}`, kind), (said.acknowledged = true))), at };
      }
      case "stop":
        return { ...this.#idle(kind, ["StopRequested"], ({ world }) => world.engine.stop(main())), at };
      case "hurry":
        return { ...this.#idle(kind, ["TurnResumed"], ({ world }) => world.engine.resume(main())), at };
      case "compact":
        return { ...this.#idle(kind, ["CompactRequested"], ({ world }) => world.engine.compact(main())), at };
      case "mode":
        return { ...this.#idle(kind, ["SessionConfigured"], async ({ world }) => (this.did.push(`mode:${mode}`), world.engine.configure(main(), { mode }))), at };
      case "lease": {
        const calls = chance.happens(0.5) ? 1 + chance.below(3) : null;
        const tiers = chance.happens(0.5) ? (["batch"] as const) : (["batch", "individual"] as const);
        return { ...this.#idle(kind, ["LeaseGranted"], ({ world }) => this.#lease(tiers, calls, () => world.engine.grants.grantLease(main(), { tiers, minutes: 5, calls, costUsd: null }))), at };
      }
      case "revokeLease":
        return { ...this.#idle(kind, ["LeaseRevoked"], ({ world, logOf }) => world.engine.grants.revokeLease(main(), logOf(main()).leases.at(-1)?.id ?? "")), at };
      case "denyRule":
        return {
          ...this.#idle(kind, ["RuleAdded"], async ({ world }) => {
            const granted = this.#grants({ kind: "rule", tool: "fs_delete", effect: "deny" });
            await world.engine.grants.addRule(main(), { effect: "deny", scope: "session", target: { tool: "fs_delete" } });
            granted.acknowledged = true;
          }),
          at,
        };
      case "queueMove":
        return { ...this.#idle(kind, ["QueueMoved"], async ({ world, logOf }) => logOf(main()).queue[0] !== undefined && world.engine.queue.move(main(), logOf(main()).queue[0]?.id ?? "", null)), at };
      case "queueRemove":
        return {
          ...this.#idle(kind, ["QueueRemoved"], async ({ world, logOf }) => {
            const item = logOf(main()).queue[0];
            if (item === undefined) return;
            for (const said of this.said) if (item.text.includes(marked(said.tag))) said.withdrawn = true;
            await world.engine.queue.remove(main(), item.id);
          }),
          at,
        };
    }
  }

  #newTag(kind: string): string {
    this.#spoken += 1;
    return `${kind}${this.#spoken}`;
  }

  #says(tag: string, how: Said["how"]): Said {
    const said: Said = { tag, how, acknowledged: false, withdrawn: false };
    this.said.push(said);
    return said;
  }

  #grants(what: Pick<Granted, "kind" | "tool" | "effect"> & Partial<Granted>): Granted {
    const granted: Granted = { session: this.#main ?? "", tiers: [], until: Number.POSITIVE_INFINITY, calls: null, at: Date.now(), acknowledged: false, ...what };
    this.granted.push(granted);
    return granted;
  }

  async #lease(tiers: readonly ("batch" | "individual")[], calls: number | null, grant: () => Promise<unknown>, session = this.#main ?? ""): Promise<void> {
    const granted = this.#grants({ kind: "lease", tool: "*", effect: "allow", session, tiers, calls, until: Date.now() + 5 * 60_000 });
    await grant();
    granted.acknowledged = true;
  }

  // What is done.

  async #act(life: Life, act: Act): Promise<boolean> {
    this.#pending = act;
    act.tries += 1;
    this.did.push(act.name);
    const isDone = await this.#try(life, act.name, act.run(life));
    this.#pending = null;
    if (isDone || act.tries >= 3) this.#done(act);
    else await life.news(1_000);
    return true;
  }

  #done(act: Act): void {
    const place = this.#acts.indexOf(act);
    if (place !== -1) this.#acts.splice(place, 1);
  }

  /** False: it was refused in words. An engine that dies never answers, and neither does this. */
  async #try(life: Life, name: string, act: Promise<unknown>): Promise<boolean> {
    try {
      await this.#race(life, act);
      return true;
    } catch (error) {
      if (!(error instanceof IntentFault)) this.faults.push(`${name} broke: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      return false;
    }
  }

  async #race(life: Life, act: Promise<unknown>): Promise<void> {
    act.catch(() => {});
    await Promise.race([act, life.died]);
    if (life.isDead()) await new Promise<never>(() => {});
  }

  /** Cards and questions, wherever they are. */
  async #answer(life: Life): Promise<boolean> {
    for (const session of life.sessions()) {
      const log = life.logOf(session);
      if (log.turns.at(-1)?.outcome !== null) continue;
      const calls = log.turns.at(-1)?.steps.filter(({ state }) => state === "sealed").flatMap((step) => step.calls) ?? [];
      const questioned = calls.find(({ state }) => state === "questioned");
      const asked = calls.filter(({ state }) => state === "asked");
      if (questioned === undefined && asked.length === 0) continue;
      if (this.#chance.happens(0.5)) await life.news(this.#chance.below(200) + 1);
      if (questioned !== undefined) return this.#answerQuestion(life, session, questioned);
      return this.#answerCards(life, session, asked);
    }
    return false;
  }

  async #answerQuestion(life: Life, session: string, call: CallLog): Promise<boolean> {
    const { answers } = life.world.engine;
    const isAnswered = this.#chance.happens(0.8);
    await this.#try(life, "question", isAnswered ? answers.question(session, call.id, { one: "a" }) : answers.cancel(session, call.id));
    return true;
  }

  async #answerCards(life: Life, session: string, asked: readonly CallLog[]): Promise<boolean> {
    const { answers } = life.world.engine;
    const together = this.#chance.happens(0.5) ? asked : asked.slice(0, 1);
    const [first] = together;
    if (first === undefined) return false;
    // The same words of a model are answered in the same way, also by somebody who has forgotten that they were.
    const how = (call: CallLog) => new Chance(this.#seed, "card", call.tool, call.argsText).choose({ allow: 60, deny: 12, lease: 6, remember: 6, denyAlways: 4, edit: 6, hunks: 8 });
    if (how(first) === "edit" && !first.argsText.includes("changed")) {
      await this.#try(life, "edit arguments", answers.editArgs(session, first.id, first.asked?.plan.id ?? "", JSON.stringify({ ...first.args, changed: true })));
      return true;
    }
    const pressed = together.filter((call) => how(call) !== "edit" || call === first).map((call) => {
      const decision = how(call) === "deny" || how(call) === "denyAlways" ? ("deny" as const) : ("allow" as const);
      const hunks = how(call) === "hunks" && call.asked?.plan.preview.kind === "files" ? HUNKS.slice(0, 1) : null;
      return { session, call: call.id, tool: call.tool, args: call.args, decision, hunks, at: Date.now(), acknowledged: false };
    });
    this.pressed.push(...pressed);
    const isLone = together.length === 1;
    const { tool } = first;
    const remembers = isLone && (how(first) === "remember" || how(first) === "denyAlways");
    const effect = how(first) === "remember" ? ("allow" as const) : ("deny" as const);
    const rule = remembers ? this.#grants({ kind: "rule", tool, effect, session }) : null;
    const scope = this.#chance.happens(0.5) ? ("session" as const) : ("always" as const);
    const given = pressed.map(({ call, decision, hunks }) => {
      const plan = together.find(({ id }) => id === call)?.asked?.plan;
      return { call, plan: plan?.id ?? "", digest: plan?.digest ?? "", decision, ...(decision === "deny" ? { note: "Not like this." } : {}), ...(hunks === null ? {} : { hunks }), ...(remembers ? { remember: { scope, target: { tool } } } : {}) };
    });
    const send = () => answers.approval(session, given, ...(isLone && how(first) === "lease" ? [{ tiers: ["batch" as const], minutes: 5, calls: 2, costUsd: null }] : []));
    const isDone = await this.#try(life, "cards", isLone && how(first) === "lease" ? this.#lease(["batch"], 2, send, session) : send());
    if (!isDone) return (await life.news(50), true);
    for (const each of pressed) each.acknowledged = true;
    if (rule !== null) rule.acknowledged = true;
    return true;
  }

  /** What stopped is asked to go on, what waits in the queue is said, what beats is ended. */
  async #mend(life: Life): Promise<boolean> {
    const { engine } = life.world;
    for (const session of life.sessions()) {
      const log = life.logOf(session);
      const turn = log.turns.at(-1);
      if (session === this.#main && turn === undefined && log.queue.length > 0) {
        await this.#try(life, "say", engine.queue.send(session));
        return true;
      }
      if (turn === undefined) continue;
      const key = `${session} ${turn.id}`;
      const times = this.resumed.get(key) ?? 0;
      const isStuck = turn.paused !== null || ((turn.outcome === "failed" || (turn.outcome === "cancelled" && session === this.#main && this.#chance.happens(0.5))) && log.origin?.kind !== "subagent");
      if (isStuck && times < (turn.paused === null ? 3 : 5)) {
        this.resumed.set(key, times + 1);
        await this.#try(life, "go on", engine.resume(session));
        await life.news(1_000);
        return true;
      }
      if (turn.paused !== null) return this.#try(life, "stop", engine.stop(session)).then(() => true);
      if (session === this.#main && turn.outcome !== null && log.queue.length > 0 && !isAtWork(log)) {
        await this.#try(life, "say", engine.queue.send(session));
        return true;
      }
    }
    const beating = engine.schedules.list().find(({ id, runs, timing }) => timing.kind !== "at" && id.startsWith("heartbeat") && runs > 0);
    return beating !== undefined && this.#try(life, "end the beat", engine.schedules.remove(beating.id)).then(() => true);
  }
}

export function isAtWork(log: SessionLog): boolean {
  const turn = log.turns.at(-1);
  return log.undoing !== null || (turn !== undefined && (turn.outcome === null || log.compactRequested !== null));
}

export function holds(events: readonly StoredEvent[], tag: string): boolean {
  return events.some(({ event }) => (event.type === "UserMessage" || event.type === "QueueAdded" || event.type === "Steered") && event.text.includes(marked(tag)));
}
