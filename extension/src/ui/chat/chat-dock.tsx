/** Below the conversation: what waits for the person, what runs by itself, what is to be done, what waits to be said. Only what is there takes room. */
import { memo } from "react";
import type { SessionView } from "../../agent/session-view.ts";
import { WaitingAgents } from "../agents/waiting-agents.tsx";
import { LeaseStrip } from "../approvals/lease-strip.tsx";
import { WaitingBar } from "../approvals/waiting-bar.tsx";
import { QueueStrip } from "../queue/queue-strip.tsx";
import { TodoStrip } from "../queue/todo-strip.tsx";
import { Still } from "../common/still.tsx";
import { pauseWords } from "../common/fault-words.ts";
import { REFUSED } from "../panel/use-intents.ts";
import { useText } from "../text/use-text.ts";
import type { Chat } from "./chat.ts";
import { useQueueActs } from "./use-queue-acts.ts";

interface ChatDockProps {
  session: SessionView;
  chat: Chat;
}

export const ChatDock = memo(function ChatDock({ session, chat }: ChatDockProps) {
  const acts = useQueueActs(chat);
  const text = useText();
  const paused = session.turns.at(-1)?.paused ?? null;
  const endLease = async (lease: string) => {
    if ((await chat.send("revokeLease", { session: session.id, lease })) !== REFUSED) chat.show({ tone: "good", message: text.settings.leases.ended });
  };
  const busy = session.status === "running" || session.status === "needs_you";
  return (
    // What comes and goes by itself leaves the rest elsewhere: a press for the one must not end, remove or send another.
    <Still className="flex flex-col gap-1.5 empty:hidden">
      <LeaseStrip leases={session.leases} strangers={session.strangers} onEnd={(lease) => void endLease(lease)} />
      <TodoStrip todos={session.todos} />
      <QueueStrip queue={session.queue} isIdle={!busy} acts={acts} />
      <WaitingAgents client={chat.client} calls={session.turns.at(-1)?.steps.at(-1)?.calls ?? []} />
      <WaitingBar waiting={session.waiting} paused={paused && pauseWords(paused, text)} />
    </Still>
  );
});
