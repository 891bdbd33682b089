// Sessions that belong to another one: sub-agents, side threads, scheduled runs, forks. Each has its own log and its own loop.
import { taintOf } from "../agent/circumstances.ts";
import { buildMessages } from "../agent/context.ts";
import type { AgentEvent, SeedMessage, SessionConfig, SessionOrigin } from "../agent/events.ts";
import { turnsOfBranch, type SessionLog } from "../agent/log.ts";
import { titleOf } from "../agent/projection.ts";
import type { SessionLoop } from "../agent/loop.ts";
import type { ChildAgents } from "../agent/world.ts";
import type { SessionRow, Storage } from "../storage/storage.ts";
import type { Rule } from "../wire/rule.ts";

export interface ChildParts {
  readonly storage: Storage;
  /** Also of a session that has not begun. */
  readonly loop: (session: string) => Promise<SessionLoop>;
  readonly newId: () => string;
  /** The model for questions beside a conversation; null: its own. */
  readonly sideModel: () => Promise<string | null>;
}

/** Longer than any turn may be: a child that waits for a person waits with its parent. */
const FOR_EVER_MS = 2_147_000_000;

export class ChildSessions implements ChildAgents {
  readonly #parts: ChildParts;

  constructor(parts: ChildParts) {
    this.#parts = parts;
  }

  async ensure({ session, origin, task, config, strangers = [], rules = [] }: Parameters<ChildAgents["ensure"]>[0]): Promise<void> {
    const seed: AgentEvent[] = strangers.length === 0 ? [] : [{ type: "Seeded", messages: [], strangers }];
    await this.#begin(session, origin, task, config, [...seed, ...strict(rules).map((rule): AgentEvent => ({ type: "RuleAdded", rule }))]);
  }

  /** What is denied or asked about in a session from now on, is so in what works for it. */
  async spread(parent: string, rule: Rule): Promise<void> {
    for (const child of await this.of(parent)) {
      if (child.origin?.kind !== "subagent" || (child.status !== "running" && child.status !== "needs_you")) continue;
      for (const each of strict([rule])) await (await this.#parts.loop(child.id)).append({ type: "RuleAdded", rule: each });
    }
  }

  /** A question beside the conversation: it sees what is said so far, and nothing of it comes back by itself. */
  async side(parent: string, text: string): Promise<string> {
    const { log } = await this.#parts.loop(parent);
    const session = this.#parts.newId();
    const model = (await this.#parts.sideModel()) ?? log.config.model;
    await this.#begin(session, { kind: "side", session: parent, by: null }, text, { ...log.config, model, mode: "plan", tools: [] }, seedOf(log));
    return session;
  }

  /** The conversation as far as it is, in a session of its own. */
  async fork(parent: string): Promise<string> {
    const { log } = await this.#parts.loop(parent);
    const session = this.#parts.newId();
    const loop = await this.#parts.loop(session);
    const title = titleOf(log);
    // Nothing was said in it that a title could be made of.
    const named: AgentEvent[] = title === "" ? [] : [{ type: "TitleSet", title, by: "engine" }];
    await loop.append({ type: "SessionStarted", config: log.config, origin: { kind: "fork", session: parent, by: null } }, ...seedOf(log), ...named);
    return session;
  }

  async ended(session: string, signal: AbortSignal): ReturnType<ChildAgents["ended"]> {
    let loop = await this.#watch(session, signal);
    const isBroken = () => loop.closed && !signal.aborted && loop.log.turns.at(-1)?.outcome === null;
    // Taken up again as after a restart. What breaks once more is told as a fault, and Retry is there.
    if (isBroken()) loop = await this.#watch(session, signal);
    if (isBroken()) throw new Error("the agent's conversation could not be written down");
    if (loop.log.seq === 0) return { outcome: "failed", text: "its conversation was deleted", strangers: [], costUsd: null };
    const turn = loop.log.turns.at(-1);
    const text = turn?.steps.findLast((step) => step.state === "ended")?.text ?? "";
    const told = { strangers: taintOf(loop.log), costUsd: costOf(loop.log) };
    if (turn?.outcome === "complete") return { outcome: "complete", text, ...told };
    return { outcome: turn?.outcome ?? "cancelled", text: turn?.fault?.message ?? text, ...told };
  }

  /** Until there is nothing more to wait for. */
  async #watch(session: string, signal: AbortSignal): Promise<SessionLoop> {
    const loop = await this.#parts.loop(session);
    loop.pump();
    const isOver = (log: SessionLog) => signal.aborted || loop.closed || log.seq === 0 || (log.turns.length > 0 && log.turns.every((turn) => turn.outcome !== null));
    const wake = () => loop.wake();
    signal.addEventListener("abort", wake, { once: true });
    await loop.until(isOver, FOR_EVER_MS);
    signal.removeEventListener("abort", wake);
    return loop;
  }

  /** And what belongs to it in turn. */
  async stop(session: string): Promise<void> {
    const loop = await this.#parts.loop(session);
    await loop.appendIf((log) => {
      const turn = log.turns.at(-1);
      return turn === undefined || turn.outcome !== null ? null : [{ type: "StopRequested", turn: turn.id }];
    });
    loop.pump();
  }

  /** Nobody takes its answer any more: what still works for this call is stopped. */
  async release(parent: string, call: string): Promise<void> {
    const child = (await this.of(parent)).find(({ id, origin }) => origin?.kind === "subagent" && origin.by === call && id === call);
    if (child?.status === "running" || child?.status === "needs_you") await this.stop(child.id);
  }

  /** What the session that an agent works for had decided about it, and a death kept from it: rules, and that it is not wanted any more. */
  async owed({ origin, rules, turns }: SessionLog): Promise<readonly AgentEvent[]> {
    const turn = turns.at(-1);
    if (origin?.kind !== "subagent" || origin.session === null || turn?.outcome !== null) return [];
    const { log } = await this.#parts.loop(origin.session);
    const all = log.branches.flatMap(({ id }) => turnsOfBranch(log, id) ?? []);
    const own = all.find(({ steps }) => steps.some(({ calls }) => calls.some(({ id }) => id === origin.by)));
    const call = own?.steps.flatMap(({ calls }) => calls).find(({ id }) => id === origin.by);
    const missing = strict(log.rules.filter((rule) => rule.scope !== "turn" || rule.turn === own?.id)).filter(({ id }) => rules.every((known) => known.id !== id));
    const isOver = call?.state === "settled" && !turn.stopping;
    return [...missing.map((rule): AgentEvent => ({ type: "RuleAdded", rule })), ...(isOver ? [{ type: "StopRequested" as const, turn: turn.id }] : [])];
  }

  /** What belongs to a session, directly. */
  async of(session: string): Promise<readonly SessionRow[]> {
    return this.#parts.storage.listChildren(session);
  }

  async #begin(session: string, origin: SessionOrigin, text: string, config: SessionConfig, seed: readonly AgentEvent[]): Promise<void> {
    const loop = await this.#parts.loop(session);
    // Begun before a restart, perhaps only half: what is missing is added, what is there stays.
    await loop.appendIf((log) => {
      if (log.turns.length > 0) return null;
      const start: AgentEvent[] = log.seq === 0 ? [{ type: "SessionStarted", config, origin }, ...seed] : [];
      return [...start, { type: "UserMessage", message: this.#parts.newId(), text }];
    });
  }
}

/** Null: no price is known. */
function costOf({ turns }: SessionLog): number | null {
  const known = turns.flatMap(({ steps, summaries }) => [...steps, ...summaries].flatMap(({ costUsd }) => costUsd ?? []));
  return known.length === 0 ? null : known.reduce((sum, each) => sum + each, 0);
}

/** Those that take rights away, for all of a child; what was allowed here is not allowed there by itself. */
function strict(rules: readonly Rule[]): readonly Rule[] {
  return rules.filter(({ effect }) => effect !== "allow").map(({ turn: _turn, ...rule }) => ({ ...rule, scope: "session" as const }));
}

/** Words only: calls and their results belong to the conversation that made them. */
function seedOf(log: SessionLog): readonly AgentEvent[] {
  const messages = buildMessages(log).flatMap((message): SeedMessage[] => (message.role === "tool" || message.text.trim() === "" ? [] : [{ role: message.role, text: message.text }]));
  return messages.length === 0 ? [] : [{ type: "Seeded", messages, strangers: taintOf(log) }];
}
