// What a person answers: cards, questions, and other arguments for a call that waits. Bound to what was on screen.
import { failureResult } from "../agent/engine-results.ts";
import type { AgentEvent, Decision, QuestionAnswer } from "../agent/events.ts";
import { findCall, isSealed, type CallLog, type SessionLog } from "../agent/log.ts";
import { answerText, faultOfAnswer } from "../agent/loop-tools/ask-question.ts";
import type { SessionLoop } from "../agent/loop.ts";
import { parseArgs } from "../lib/parse-args.ts";
import type { Plan } from "../wire/plan.ts";
import type { ApprovalAnswer, ApprovalGrants } from "./bus.ts";
import type { Rule } from "../wire/rule.ts";
import type { Grants, LeaseDraft } from "./grants.ts";
import { IntentFault } from "./intent-fault.ts";

export interface AnswersParts {
  readonly loop: (session: string) => Promise<SessionLoop>;
  readonly grants: Grants;
  readonly newId: () => string;
}

export class Answers {
  readonly #parts: AnswersParts;

  constructor(parts: AnswersParts) {
    this.#parts = parts;
  }

  /** What was granted along with the answers holds when they do, and not otherwise. */
  async approval(session: string, answers: readonly ApprovalAnswer[], draft?: LeaseDraft): Promise<ApprovalGrants> {
    const loop = await this.#parts.loop(session);
    // A card that another window answered a moment ago makes no rule.
    if (answered(loop.log, answers) === null) throw planChanged();
    const lease = draft === undefined ? null : await this.#parts.grants.leaseOf(session, draft);
    const made: Rule[] = [];
    for (const { call, decision, remember } of answers) {
      // The rule first: an answer that says "always" and is not remembered would be a lie.
      if (remember !== undefined) made.push((await this.#parts.grants.addRule(session, { effect: decision === "allow" ? "allow" : "deny", ...remember }, call)).rule);
    }
    let changed = false;
    await loop.appendIf((log) => {
      const events = answered(log, answers);
      changed = events === null;
      // In one append: a lease without its answer would let the next plan through unread.
      return events === null || lease === null ? events : [lease.event, ...events];
    });
    if (!changed) return { rules: made, lease: lease?.receipt ?? null };
    for (const { id } of made) await this.#parts.grants.revokeRule(session, id);
    throw planChanged();
  }

  /** The person's answer to `ask_question`; it is the call's result. */
  async question(session: string, call: string, answer: QuestionAnswer): Promise<void> {
    await this.#settle(session, call, (known) => {
      const fault = faultOfAnswer(known.question, answer);
      if (fault !== null) throw new IntentFault({ code: "bad_answer", message: `This cannot be sent: ${fault}.`, hint: "Correct it; nothing was sent.", retryable: true });
      const text = answerText({ ...known, answer });
      return [
        { type: "QuestionAnswered", call, answer },
        { type: "ToolResult", call, isError: false, text, structured: { ok: true, data: answer }, origin: "engine", replayed: false, durationMs: null },
      ];
    });
  }

  /** The person does not want to answer; the model goes on without. */
  async cancel(session: string, call: string): Promise<void> {
    await this.#settle(session, call, () => [{ type: "QuestionCancelled", call }, failureResult(call, "cancelled", "the user did not want to answer", "Go on with what you know, or end.")]);
  }

  async #settle(session: string, call: string, make: (known: NonNullable<CallLog["question"]>) => readonly AgentEvent[]): Promise<void> {
    const loop = await this.#parts.loop(session);
    const known = findCall(loop.log, call)?.question;
    const events = known?.status === "active" ? make(known) : [];
    let isOver = events.length === 0;
    await loop.appendIf((log) => {
      isOver ||= findCall(log, call)?.question?.status !== "active";
      return isOver ? null : events;
    });
    if (isOver) throw new IntentFault({ code: "no_question", message: "This question does not wait any more.", hint: null, retryable: false });
  }

  /** Changes what the model wrote, before it is answered; a new plan follows, and the model is told. */
  async editArgs(session: string, call: string, plan: string, argsText: string): Promise<void> {
    const loop = await this.#parts.loop(session);
    if (parseArgs(argsText) === null) {
      throw new IntentFault({ code: "invalid_args", message: "These arguments are no JSON object.", hint: "Correct them; the card is still as it was.", retryable: true });
    }
    let changed = false;
    await loop.appendIf((log) => {
      const known = findCall(log, call);
      changed = known?.state !== "asked" || known.asked?.plan.id !== plan;
      return changed ? null : [{ type: "ArgsEdited", call, key: this.#parts.newId(), argsText }];
    });
    if (changed) throw planChanged();
  }
}

/** All of them, or null: what one panel answers together is never half of it. */
function answered(log: SessionLog, answers: readonly ApprovalAnswer[]): readonly AgentEvent[] | null {
  const calls = log.turns.at(-1)?.steps.filter(isSealed).flatMap((step) => step.calls) ?? [];
  const events = answers.flatMap((answer): AgentEvent[] => {
    const call = calls.find((candidate) => candidate.id === answer.call);
    // Bound to what was on screen: the plan itself, or a fresh one that does exactly the same.
    if (call?.state !== "asked" || call.asked?.plan.digest !== answer.digest || !areHunksOf(call.asked.plan, answer.hunks)) return [];
    return [
      {
        type: "ApprovalAnswered",
        call: answer.call,
        plan: call.asked.plan.id,
        digest: answer.digest,
        decision: answer.hunks?.length === 0 ? "deny" : readDecision(answer.decision),
        note: answer.note === undefined || answer.note.trim() === "" ? null : answer.note,
        hunks: answer.hunks ?? null,
        by: "user",
      },
    ];
  });
  return events.length === answers.length ? events : null;
}

function planChanged(): IntentFault {
  return new IntentFault({
    code: "plan_changed",
    message: "This card is no longer what it was when you answered.",
    hint: "Look at it again; nothing was done.",
    retryable: true,
  });
}

/** Parts that the plan does not have were shown by something else. */
function areHunksOf(plan: Plan, hunks: readonly string[] | undefined): boolean {
  if (hunks === undefined) return true;
  const known = plan.preview.kind === "files" ? plan.preview.files.flatMap((file) => file.hunks.map(({ id }) => id)) : [];
  return hunks.every((hunk) => known.includes(hunk));
}

/** Doubt means deny. */
function readDecision(decision: unknown): Decision {
  return decision === "allow" ? "allow" : "deny";
}
