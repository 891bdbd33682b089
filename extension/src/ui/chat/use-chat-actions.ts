/** The acts of the conversation as intents of this session. The same object while the session is the same: cards are drawn again for nothing else. */
import { useMemo } from "react";
import { answerIntents } from "../approvals/answer-intents.ts";
import { ruleLine } from "../approvals/rule-line.ts";
import { REFUSED } from "../panel/use-intents.ts";
import { useText } from "../text/use-text.ts";
import type { Chat } from "./chat.ts";
import type { ChatActions } from "./chat-actions.ts";
import { grantOrigin, requestOrigin } from "./grant-origin.ts";

export function useChatActions({ session, client, send, show }: Chat): ChatActions {
  const text = useText();
  return useMemo<ChatActions>(
    () => ({
      answer: async (calls, { lease, ...answer }) => {
        const made = session === null ? REFUSED : await send("answerApproval", { session, answers: answerIntents(calls, answer), ...(lease === undefined ? {} : { lease }) });
        if (made === REFUSED) return false;
        const { cards, settings } = text;
        // What holds from now on is said when it holds, in the words of what holds.
        for (const { effect, scope, target } of made.rules) show({ tone: "good", message: cards.ruleMade[effect](ruleLine(target, text), settings.rules.scopes[scope]) });
        if (lease !== undefined && made.lease !== null) show({ tone: "good", message: settings.leases.granted(lease.minutes) });
        return true;
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
      retry: async ({ fault }) => {
        if (session !== null && (await grantOrigin({ client, show }, fault?.origin, text))) void send("resume", { session });
      },
      requestOrigin: (address) => requestOrigin({ client }, address),
      stop: () => session !== null && void send("stop", { session }),
    }),
    [session, client, send, show, text],
  );
}
