/** A sub-agent, under the call that began it: how it stands, its cards where they can be answered, and what it did when someone wants to know. */
import { useState } from "react";
import type { ToolCallView } from "../../agent/session-view.ts";
import { useChat } from "../chat/chat.ts";
import { Disclosure } from "../common/disclosure.tsx";
import { useText } from "../text/use-text.ts";
import { AgentCards } from "./agent-cards.tsx";
import { AgentSteps } from "./agent-steps.tsx";

export function SubAgent({ call }: { call: ToolCallView }) {
  const text = useText();
  const words = text.work;
  const chat = useChat();
  const [open, setOpen] = useState(false);
  const isLive = call.state === "running";
  if (!chat || (!isLive && call.result === null)) return null;
  const writes = call.args?.["write"] === true;
  return (
    <section data-testid="sub-agent" data-agent={call.id} aria-label={words.agent} className="border-t border-line px-2.5 py-1">
      {isLive && <p className="py-0.5 text-2xs text-soft">{writes ? words.agentWrites : words.agentReads}</p>}
      {isLive && <AgentCards client={chat.client} agent={call.id} />}
      <Disclosure testId="agent-show" summary={words.agentShow} onToggle={setOpen}>{open && <AgentSteps client={chat.client} agent={call.id} />}</Disclosure>
    </section>
  );
}
