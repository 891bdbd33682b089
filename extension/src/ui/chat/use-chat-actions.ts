/** The acts of the conversation as intents of this session. The same object while the session is the same: cards are drawn again for nothing else. */
import { useMemo } from "react";
import { answerIntents } from "../approvals/answer-intents.ts";
import { REFUSED } from "../panel/use-intents.ts";
import { useText } from "../text/use-text.ts";
import type { Chat } from "./chat.ts";
import type { ChatActions } from "./chat-actions.ts";

export function useChatActions({ session, send, show }: Chat): ChatActions {
  const text = useText();
  return useMemo<ChatActions>(
    () => ({
      answer: async (calls, answer) => {
        if (session === null) return false;
        if (answer.lease !== undefined) {
          // The lease first: an answer that says "for a while" and is not kept would be a lie.
          const granted = await send("grantLease", { session, lease: answer.lease });
          if (granted === REFUSED) return false;
          show({ tone: "good", message: text.settings.leases.granted(answer.lease.minutes) });
        }
        return (await send("answerApproval", { session, answers: answerIntents(calls, answer) })) !== REFUSED;
      },
      editArgs: async (call, argsText) => session !== null && (await send("editArgs", { session, call: call.id, plan: call.approval.plan.id, argsText })) !== REFUSED,
      propose: async (call) => {
        const found = session === null ? REFUSED : await send("proposeRules", { session, call });
        return found === REFUSED ? [] : found.proposals;
      },
      preview: async (target) => {
        const found = session === null ? REFUSED : await send("previewRule", { session, target });
        return found === REFUSED ? null : found.alsoMatches;
      },
      answerQuestion: async (call, answer) => session !== null && (await send("answerQuestion", { session, call, answer })) !== REFUSED,
      skipQuestion: async (call) => session !== null && (await send("cancelQuestion", { session, call })) !== REFUSED,
      resume: () => session !== null && void send("resume", { session }),
      stop: () => session !== null && void send("stop", { session }),
    }),
    [session, send, show, text],
  );
}
