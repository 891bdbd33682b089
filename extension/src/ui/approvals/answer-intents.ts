/** Turns what was said about a card into an answer for each of its calls, bound to the plan that was on the screen. */
import type { ApprovalAnswer } from "../../app/bus.ts";
import type { CardAnswer } from "./approval-answer.ts";
import type { WaitingCall } from "./approval-card.tsx";

export function answerIntents(calls: readonly WaitingCall[], answer: CardAnswer): ApprovalAnswer[] {
  return calls.map((call) => {
    const { plan } = call.approval;
    const allowed = answer.allowed.includes(call.id);
    const hunks = answer.hunks?.[call.id];
    const { remember } = answer;
    return {
      call: call.id,
      plan: plan.id,
      digest: plan.digest,
      decision: allowed ? "allow" : "deny",
      ...(answer.note !== undefined && !allowed ? { note: answer.note } : {}),
      ...(hunks !== undefined && allowed ? { hunks } : {}),
      ...(remember?.call === call.id ? { remember: { scope: remember.scope, target: remember.target } } : {}),
    };
  });
}
