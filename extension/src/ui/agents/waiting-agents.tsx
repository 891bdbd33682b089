/** Over the message box: a sub-agent that waits for the person, and the way to its card. */
import type { ToolCallView } from "../../agent/session-view.ts";
import type { PanelClient } from "../../app/panel-client.ts";
import { WaitingBar } from "../approvals/waiting-bar.tsx";
import { pauseWords } from "../common/fault-words.ts";
import { useSession } from "../panel/use-session.ts";
import { useText } from "../text/use-text.ts";

interface WaitingAgentsProps {
  client: PanelClient;
  /** Calls that run now. */
  calls: readonly ToolCallView[];
}

export function WaitingAgents({ client, calls }: WaitingAgentsProps) {
  return calls.filter((call) => isAgent(call) && call.state === "running").map((call) => <WaitingAgent key={call.id} client={client} agent={call.id} />);
}

/** Our own tool, not the host's: its name is ours to know. */
export function isAgent(call: ToolCallView): boolean {
  return call.tool === "spawn_agent";
}

function WaitingAgent({ client, agent }: { client: PanelClient; agent: string }) {
  const session = useSession(client, agent);
  const text = useText();
  const paused = session?.turns.at(-1)?.paused ?? null;
  return session && <WaitingBar waiting={session.waiting} paused={paused && pauseWords(paused, text)} agent={agent} />;
}
