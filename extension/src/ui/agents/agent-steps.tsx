/** What a sub-agent said and did, in order. It has no agents of its own, so this is all of it. */
import type { PanelClient } from "../../app/panel-client.ts";
import { ToolCard } from "../chat/tool-card.tsx";
import { Spinner } from "../common/spinner.tsx";
import { Markdown } from "../markdown/markdown.tsx";
import { useGone } from "../panel/use-gone.ts";
import { useSession } from "../panel/use-session.ts";
import { useText } from "../text/use-text.ts";

export function AgentSteps({ client, agent }: { client: PanelClient; agent: string }) {
  const text = useText();
  const session = useSession(client, agent);
  const isGone = useGone(client, agent);
  if (isGone) return <p data-testid="agent-gone" className="py-1 text-xs text-soft">{text.work.agentGone}</p>;
  if (session === null) return <p className="flex items-center gap-2 py-1 text-xs text-soft"><Spinner size={12} />{text.work.agentLoading}</p>;
  return (
    <div data-testid="agent-steps" className="flex flex-col gap-2 border-s-2 border-line py-1 ps-2.5">
      {session.turns.flatMap((turn) => turn.steps).map((step) => (
        <div key={step.id} className="flex min-w-0 flex-col gap-1">
          {step.text !== "" && <Markdown source={step.text} />}
          {step.calls.length > 0 && <div className="divide-y divide-line overflow-clip rounded-md border border-line">{step.calls.map((call) => <ToolCard key={call.id} call={call} />)}</div>}
        </div>
      ))}
    </div>
  );
}
