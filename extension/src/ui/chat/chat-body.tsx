/** What fills the conversation: the transcript, or where there is none, what stands in the way of one or how to begin. */
import type { SessionView } from "../../agent/session-view.ts";
import type { AppView, ConnectionView } from "../../app/views.ts";
import type { ChatActions } from "./chat-actions.ts";
import { FirstRun } from "../first-run/first-run.tsx";
import { FirstSteps } from "../first-run/first-steps.tsx";
import { GoneSession } from "./gone-session.tsx";
import { Transcript } from "./transcript.tsx";
import type { FoundTurn } from "./turn-list.tsx";
import { ConnectionProblem } from "../connection/connection-problem.tsx";
import { NoWorkspace } from "../workspace/no-workspace.tsx";
import type { SendIntent } from "../panel/use-intents.ts";

interface ChatBodyProps {
  app: AppView;
  connection: ConnectionView;
  sessionId: string | null;
  session: SessionView | null;
  isGone: boolean;
  onNew: () => void;
  actions: ChatActions;
  canStart: boolean;
  send: SendIntent;
  onMessage: (message: string) => Promise<boolean>;
  /** How often something was said here. */
  said: number;
  found: FoundTurn | null;
}

export function ChatBody({ app, connection, sessionId, session, isGone, onNew, actions, canStart, send, onMessage, said, found }: ChatBodyProps) {
  // The key takes the place in the text along with the session: another one begins at its end.
  // Where all was taken back there is still the way to it.
  if (session && (session.turns.length > 0 || session.seed.length > 0 || session.branches.some((branch) => branch.turns.length > 0))) return <Transcript key={session.id} session={session} actions={actions} said={said} found={found} />;
  if (isGone) return <GoneSession onNew={onNew} />;
  if (sessionId !== null && !session) return <div className="flex-1" />;
  return (
    <div className="relative flex min-h-0 flex-1 flex-col overflow-y-auto">
      <FirstSteps app={app} connection={connection} />
      {connection.state === "failed" ? (
        <ConnectionProblem fault={connection.fault} retryAt={connection.retryAt} onRetry={() => void send("retryConnection", {})} />
      ) : app.workspaces?.length === 0 ? (
        <NoWorkspace />
      ) : (
        <FirstRun canStart={canStart} onStart={(task) => void onMessage(task)} />
      )}
    </div>
  );
}
