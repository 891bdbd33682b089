// What a person lets happen without being asked each time, and takes back: rules and leases. Every act answers with a receipt.
import type { AgentEvent } from "../agent/events.ts";
import { subjectOfCall } from "../agent/circumstances.ts";
import { findCall, type SessionLog } from "../agent/log.ts";
import type { SessionLoop } from "../agent/loop.ts";
import { isLive, LONGEST_LEASE_MS } from "../approval/lease.ts";
import { alsoMatching, propose, type PastCall, type Proposal } from "../approval/propose.ts";
import { matches } from "../approval/match.ts";
import type { Tier } from "../wire/plan.ts";
import { effectSchema, scopeSchema, targetSchema } from "../wire/read-rules.ts";
import { faultOfTarget, type Rule, type RuleEffect, type RuleScope, type RuleTarget, type TargetFault } from "../wire/rule.ts";
import { IntentFault } from "./intent-fault.ts";
import type { RuleBook } from "./rule-book.ts";
import type { Receipt } from "./views.ts";

export interface RuleDraft {
  readonly effect: RuleEffect;
  readonly scope: RuleScope;
  readonly target: RuleTarget;
}

export interface LeaseDraft {
  readonly tiers: readonly Tier[];
  readonly minutes: number;
  readonly calls: number | null;
  readonly costUsd: number | null;
}

export interface GrantsParts {
  readonly loop: (session: string) => Promise<SessionLoop>;
  readonly book: RuleBook;
  /** To what works for this session: what is denied here is denied there. */
  readonly spread: (session: string, rule: Rule) => Promise<void>;
  readonly newId: () => string;
  readonly now: () => number;
}

export class Grants {
  readonly #parts: GrantsParts;

  constructor(parts: GrantsParts) {
    this.#parts = parts;
  }

  /** Those of the browser, and those of the session. */
  async rules(session: string | null): Promise<readonly Rule[]> {
    const kept = this.#parts.book.list();
    return session === null ? kept : [...kept, ...(await this.#parts.loop(session)).log.rules];
  }

  /** What "always" may mean for this call, the narrowest first. */
  async proposals(session: string, call: string): Promise<readonly Proposal[]> {
    const { log } = await this.#parts.loop(session);
    const past = pastCalls(log);
    const known = past.find((each) => each.call === call);
    return known === undefined ? [] : propose(call, known.subject, past);
  }

  /** Which of the last calls this rule would have matched. */
  async preview(session: string, target: RuleTarget, effect: RuleEffect = "allow"): Promise<Proposal["alsoMatches"]> {
    return alsoMatching(readTarget(target), pastCalls((await this.#parts.loop(session)).log), effectSchema.catch("allow").parse(effect));
  }

  /** With `call`: made on its card, so it must speak of that very call. */
  async addRule(session: string | null, draft: RuleDraft, call: string | null = null): Promise<{ rule: Rule; receipt: Receipt }> {
    const rule = await this.#scoped(session, draft, call);
    await this.#keep(session, rule);
    return { rule, receipt: { message: receiptOf(rule) } };
  }

  /**
   * Another rule in the place of one: what the old one had decided is not told of the new one. What cannot be made changes nothing;
   * what is cut short in the middle leaves the stricter of the two.
   */
  async changeRule(session: string | null, id: string, draft: RuleDraft): Promise<{ rule: Rule; receipt: Receipt }> {
    const before = (await this.rules(session)).find((rule) => rule.id === id);
    if (before === undefined) throw noRule();
    const made = await this.#scoped(session, draft, null);
    const rule = made.scope === "turn" && before.scope === "turn" ? { ...made, turn: before.turn } : made;
    const isKept = isOfSession(before) || isOfSession(rule) ? false : await this.#parts.book.replace(id, rule);
    if (!isKept) {
      if (before.effect !== "allow") await this.#keep(session, rule);
      await this.#drop(session, id);
      if (before.effect === "allow") await this.#keep(session, rule);
    }
    return { rule, receipt: { message: receiptOf(rule) } };
  }

  async #scoped(session: string | null, draft: RuleDraft, call: string | null): Promise<Rule> {
    const rule = this.#readRule(draft);
    if (session === null) {
      if (isOfSession(rule)) throw refused("no_session", "A rule for one session needs that session.", "Choose a wider scope, or make it in the session.");
      if (rule.scope === "workspace" && rule.target.workspace === undefined) throw noWorkspace();
      return rule;
    }
    const loop = await this.#parts.loop(session);
    if (call !== null && !speaksOf(rule, loop.log, call)) throw refused("rule_misses", "This rule would not have let this call through.", "Widen it, or answer only this time.");
    const turn = loop.log.turns.at(-1)?.id;
    // Of a session on the host's default workspace, the card knows which one that is.
    const workspace = rule.target.workspace ?? loop.log.config.workspace ?? (call === null ? null : findCall(loop.log, call)?.asked?.plan.workspace) ?? null;
    if (rule.scope === "workspace" && workspace === null) throw noWorkspace();
    return {
      ...rule,
      ...(rule.scope === "turn" && turn !== undefined ? { turn } : {}),
      target: rule.scope === "workspace" && workspace !== null ? { ...rule.target, workspace } : rule.target,
    };
  }

  async #keep(session: string | null, rule: Rule): Promise<void> {
    if (session === null || !isOfSession(rule)) return this.#parts.book.add(rule);
    await (await this.#parts.loop(session)).append({ type: "RuleAdded", rule });
    await this.#parts.spread(session, rule);
  }

  async #drop(session: string | null, id: string): Promise<void> {
    if (!(await this.#parts.book.revoke(id)) && session !== null) await (await this.#parts.loop(session)).append({ type: "RuleRevoked", rule: id });
  }

  async revokeRule(session: string | null, id: string): Promise<Receipt> {
    const before = (await this.rules(session)).find((rule) => rule.id === id);
    if (before === undefined) throw noRule();
    await this.#drop(session, id);
    return { message: `The rule was revoked. It had decided ${before.uses} ${before.uses === 1 ? "call" : "calls"}.` };
  }

  async grantLease(session: string, draft: LeaseDraft): Promise<{ lease: string; receipt: Receipt }> {
    const { event, receipt } = await this.leaseOf(session, draft);
    await (await this.#parts.loop(session)).append(event);
    return { lease: event.lease, receipt };
  }

  /** The event that grants it, for whoever appends it with something else. */
  async leaseOf(session: string, draft: LeaseDraft): Promise<{ event: Extract<AgentEvent, { type: "LeaseGranted" }>; receipt: Receipt }> {
    const { minutes, calls, costUsd } = draft;
    const tiers = (["auto", "batch", "individual"] as const).filter((tier) => draft.tiers.includes(tier));
    const isSound = minutes > 0 && minutes * 60_000 <= LONGEST_LEASE_MS && tiers.length > 0 && (calls === null || calls >= 1) && (costUsd === null || costUsd > 0);
    if (!isSound) throw refused("bad_lease", "A lease needs a tier and a time of at most 8 hours.", "For longer, make a rule that says exactly what may run.");
    const loop = await this.#parts.loop(session);
    if (costUsd !== null && (await loop.world.modelFacts(loop.log.config.model)).price === null) {
      throw refused("no_price", "The price of this model is not known, so a limit in money would say nothing.", "Enter its price with the model, or limit the minutes and the calls.");
    }
    const lease = this.#parts.newId();
    const limits = [`${minutes} minutes`, ...(calls === null ? [] : [`${calls} calls`]), ...(costUsd === null ? [] : [`$${costUsd.toFixed(2)}`])];
    const event = { type: "LeaseGranted" as const, lease, tiers, until: this.#parts.now() + minutes * 60_000, calls, costUsd };
    return { event, receipt: { message: `What asks (${tiers.join(", ")}) runs by itself in this session for ${limits.join(" or ")}, whatever ends first.` } };
  }

  async revokeLease(session: string, lease: string): Promise<Receipt> {
    const loop = await this.#parts.loop(session);
    const known = loop.log.leases.find(({ id }) => id === lease);
    if (known === undefined) throw refused("no_lease", "There is no such lease.", "Nothing had to be changed.");
    const wasLive = isLive(known, this.#parts.now());
    await loop.append({ type: "LeaseRevoked", lease });
    return { message: wasLive ? `The lease ended; it had let ${known.used} calls run.` : "The lease had already ended." };
  }

  #readRule(draft: RuleDraft): Rule {
    const effect = effectSchema.safeParse(draft.effect);
    const scope = scopeSchema.safeParse(draft.scope);
    if (!effect.success || !scope.success) throw refused("bad_rule", "This is no rule.", "Choose what it does and how far it reaches.");
    return { id: this.#parts.newId(), effect: effect.data, scope: scope.data, target: readTarget(draft.target), createdAt: this.#parts.now(), uses: 0, lastUsedAt: null };
  }
}

/** The calls that were asked about, oldest first. */
function pastCalls(log: SessionLog): readonly PastCall[] {
  return log.turns.flatMap((turn) =>
    turn.steps
      .flatMap((step) => step.calls)
      .flatMap((call) => (call.asked === null ? [] : [{ call: call.id, subject: subjectOfCall(log, turn, call, call.asked.plan), summary: call.asked.plan.summary }])),
  );
}

function speaksOf(rule: Rule, log: SessionLog, id: string): boolean {
  const call = findCall(log, id);
  const turn = log.turns.find((each) => each.steps.some((step) => step.calls.some((candidate) => candidate.id === id)));
  return call !== undefined && turn !== undefined && matches(rule.target, rule.effect, subjectOfCall(log, turn, call, call.asked?.plan ?? null));
}

function readTarget(value: unknown): RuleTarget {
  const target = targetSchema.safeParse(value);
  const fault = target.success ? faultOfTarget(target.data) : null;
  if (!target.success || fault !== null) throw refused("bad_rule", `This is no rule: ${fault === null ? (target.error?.issues[0]?.message ?? "it cannot be read") : wordsOf(fault)}.`, "Correct it and try again.");
  return target.data;
}

/** For the log of a fault; the panel has its own words. */
function wordsOf({ code, what }: TargetFault): string {
  return {
    no_expression: `\`${what}\` is no regular expression`,
    slow_expression: `\`${what}\` looks around, or back at a group, or repeats too often, which may take for ever`,
    no_glob: `\`${what}\` is no glob: a \`{\` has no \`}\`, or nothing follows its last \`\\\``,
    args_without_command: "arguments belong to a command",
    rest_not_last: "`**` stands for the rest and comes last",
  }[code];
}

/** It lives in the log of its session; the others in the settings of this browser. */
function isOfSession({ scope }: Rule): boolean {
  return scope === "turn" || scope === "session";
}

function receiptOf({ effect, scope, target }: Rule): string {
  const verb = { allow: "runs without asking", ask: "always asks", deny: "is denied" }[effect];
  const where = [
    target.tool === "*" ? "every tool" : target.tool,
    ...(target.command === undefined ? [] : [[target.command, ...(target.args ?? ["**"])].join(" ")]),
    ...(target.path === undefined ? [] : [target.path]),
    ...(target.pattern === undefined ? [] : [`/${target.pattern}/`]),
    ...(target.workspace === undefined ? [] : [`in ${target.workspace}`]),
  ];
  const reach = { turn: "for this turn", session: "for this session", workspace: "in this workspace", always: "from now on" }[scope];
  return `${where.join(" ")} ${verb} ${reach}.`;
}

function noRule(): IntentFault {
  return refused("no_rule", "There is no such rule any more.", "Nothing had to be changed.");
}

/** It would hold everywhere, which is more than it says. */
function noWorkspace(): IntentFault {
  return refused("no_workspace", "A rule for one workspace must name it.", "Choose the workspace, or let it hold everywhere.");
}

function refused(code: string, message: string, hint: string): IntentFault {
  return new IntentFault({ code, message, hint, retryable: false });
}
