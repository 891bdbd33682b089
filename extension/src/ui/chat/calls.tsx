/** The calls of a step, in order: lines for what ran, cards for what waits. Waiting calls of one group share one card. */
import { Fragment } from "react";
import type { ToolCallView } from "../../agent/session-view.ts";
import { SubAgent } from "../agents/sub-agent.tsx";
import { isAgent } from "../agents/waiting-agents.tsx";
import { ApprovalCard } from "../approvals/approval-card.tsx";
import { useKeptVersion } from "../common/use-kept.ts";
import { useChat } from "./chat.ts";
import type { ChatActions } from "./chat-actions.ts";
import { groupCalls } from "./group-calls.ts";
import { QuestionAnswered } from "./question-answered.tsx";
import { QuestionCard, ScheduleCard } from "./later-parts.ts";
import { ToolCard } from "./tool-card.tsx";

interface CallsProps {
  calls: readonly ToolCallView[];
  actions: ChatActions;
}

export function Calls({ calls, actions }: CallsProps) {
  const from = useChat()?.origin ?? null;
  const kept = useKeptVersion();
  return (
    <div className="flex flex-col gap-2">
      {groupCalls(calls).map((group) =>
        group.kind === "asking" ? (
          // A fresh plan is a fresh card: it must arm itself anew, and be read anew where it says something else.
          <ApprovalCard key={`${kept} ${group.calls.map((call) => call.approval.plan.id).join()}`} calls={group.calls} acts={actions} from={from} onAnswer={(answer) => actions.answer(group.calls, answer)} />
        ) : (
          <div key={group.calls[0]?.id} className="divide-y divide-line overflow-clip rounded-lg border border-line bg-surface">
            {group.calls.map((call) => (
              <Fragment key={call.id}>
                <ToolCard call={call} />
                {call.question && (call.question.status === "active" && call.state === "waiting" ? (
                  <QuestionCard key={kept} call={call.id} asked={call.question} onAnswer={(answer) => actions.answerQuestion(call.id, answer)} onSkip={() => actions.skipQuestion(call.id)} />
                ) : (
                  <QuestionAnswered asked={call.question} />
                ))}
                {isAgent(call) && <SubAgent call={call} />}
                {call.tool === "schedule" && call.state === "done" && <ScheduleCard call={call.id} />}
              </Fragment>
            ))}
          </div>
        ),
      )}
    </div>
  );
}
