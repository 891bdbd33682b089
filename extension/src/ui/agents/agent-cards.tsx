/** What a sub-agent is doing, and what it waits for: its cards are answered here, in the conversation that began it. */
import { useMemo } from "react";
import type { PanelClient } from "../../app/panel-client.ts";
import { tellingArgument } from "../../lib/telling-argument.ts";
import { ApprovalCard } from "../approvals/approval-card.tsx";
import { useChat, type Chat } from "../chat/chat.ts";
import { groupCalls } from "../chat/group-calls.ts";
import { TurnFault } from "../chat/turn-fault.tsx";
import { useChatActions } from "../chat/use-chat-actions.ts";
import { useKeptVersion } from "../common/use-kept.ts";
import { VisibleText } from "../common/visible-text.tsx";
import { useSession } from "../panel/use-session.ts";
import { useText } from "../text/use-text.ts";

export function AgentCards({ client, agent }: { client: PanelClient; agent: string }) {
  const chat = useChat();
  return chat && <LiveAgent client={client} agent={agent} chat={chat} />;
}

function LiveAgent({ client, agent, chat }: { client: PanelClient; agent: string; chat: Chat }) {
  const text = useText();
  const words = text.work;
  const session = useSession(client, agent);
  const actions = useChatActions(useMemo(() => ({ ...chat, session: agent }), [chat, agent]));
  const kept = useKeptVersion();
  if (session === null) return null;
  const steps = session.turns.flatMap((turn) => turn.steps);
  const last = session.turns.at(-1);
  const doing = steps.at(-1)?.calls.findLast((call) => call.state === "running");
  return (
    <>
      <p data-testid="agent-state" data-state={session.status} className="flex gap-1.5 py-0.5 text-xs text-soft">
        <span className="shrink-0">{words.agent} {words.agentStates[session.status]}, {words.agentSteps(steps.length)}</span>
        {doing && <code className="min-w-0 truncate"><VisibleText value={`${doing.tool} ${tellingArgument(doing.args)}`} oneLine /></code>}
      </p>
      {groupCalls(session.waiting).map((group) => group.kind === "asking" && <ApprovalCard key={`${kept} ${group.calls.map((call) => call.approval.plan.id).join()}`} calls={group.calls} acts={actions} from={session.origin} onAnswer={(answer) => actions.answer(group.calls, answer)} />)}
      {last?.paused && <TurnFault turn={last} actions={actions} />}
    </>
  );
}
