/** The whole panel: a picture of what the engine knows, and the ways to tell it what one wants. */
import { useCallback, useState } from "react";
import type { PanelClient } from "../../app/panel-client.ts";
import { ChatScreen } from "../chat/chat-screen.tsx";
import { Announcer } from "../common/announcer.tsx";
import { ErrorBoundary } from "../common/error-boundary.tsx";
import { ConnectionDetails } from "../connection/connection-details.tsx";
import { AddServerForm } from "../models/add-server-form.tsx";
import { SessionList } from "../sessions/session-list.tsx";
import { useText } from "../text/use-text.ts";
import { Header } from "./header.tsx";
import { MemoryNotice } from "./memory-notice.tsx";
import { ReceiptPlace } from "./receipt-place.tsx";
import { useReceipt } from "./receipt-state.ts";
import { saveServer } from "./save-server.ts";
import { useBoundaryMessage } from "./use-boundary-message.ts";
import { useChosenSession } from "./use-chosen-session.ts";
import { useDeletedSessions } from "./use-deleted-sessions.ts";
import { useIntents } from "./use-intents.ts";
import { useRegions } from "./use-regions.ts";
import { useReadable } from "./use-readable.ts";
import { useSession } from "./use-session.ts";
import { useWide } from "./use-wide.ts";

type View = "conversation" | "sessions" | "connection" | "add-model";

export function Panel({ client }: { client: PanelClient }) {
  const text = useText();
  const app = useReadable(client.app);
  const connection = useReadable(client.connection);
  const [view, setView] = useState<View>("conversation");
  const [sessionId, choose] = useChosenSession(app);
  const session = useSession(client, sessionId);
  const receipts = useReceipt();
  const send = useIntents(client, receipts.show);
  const deleted = useDeletedSessions(send, receipts.show);
  const announcement = useBoundaryMessage(session);
  const wide = useWide();

  const open = useCallback(
    (id: string | null) => {
      choose(id);
      setView("conversation");
    },
    [choose],
  );
  useRegions();

  const sessions = app?.sessions.filter((candidate) => !deleted.hidden.has(candidate.id)) ?? [];
  const summary = sessions.find((candidate) => candidate.id === sessionId);
  const titles: Record<View, string> = {
    conversation: session?.title || summary?.title || text.header.untitled,
    sessions: text.sessions.title,
    connection: text.connection.details,
    "add-model": text.model.addServer,
  };
  const list = (
    <SessionList
      sessions={sessions}
      chosen={sessionId}
      onOpen={open}
      onRename={(id, title) => void send("renameSession", { session: id, title })}
      onDelete={(gone) => {
        deleted.remove(gone);
        if (gone.id === sessionId) choose(null);
      }}
    />
  );

  return (
    <div className="flex h-full min-w-0">
      {wide && <aside className="flex w-70 shrink-0 flex-col border-r border-line">{list}</aside>}
      <div className="relative flex min-w-0 flex-1 flex-col">
        <Header
          title={titles[view]}
          connection={connection}
          onBack={view === "conversation" ? null : () => setView("conversation")}
          waitingElsewhere={sessions.filter((candidate) => candidate.status === "needs_you" && candidate.id !== sessionId).length}
          showsList={wide}
          onConnection={() => setView("connection")}
          onSessions={() => setView(view === "sessions" ? "conversation" : "sessions")}
          onNew={() => open(null)}
        />
        {app?.memoryOnly && <MemoryNotice />}
        <ErrorBoundary key={view}>
          {view === "conversation" && app && (
            <ChatScreen client={client} app={app} connection={connection} sessionId={sessionId} session={session} send={send} show={receipts.show} onOpen={open} onAddModel={() => setView("add-model")} onConnection={() => setView("connection")} />
          )}
          {view === "sessions" && list}
          {view === "connection" && <main className="relative min-h-0 flex-1 overflow-y-auto"><ConnectionDetails connection={connection} onRetry={() => void send("retryConnection", {})} /></main>}
          {view === "add-model" && (
            <main className="relative min-h-0 flex-1 overflow-y-auto">
              <AddServerForm onSave={(draft) => saveServer(client, sessionId, draft, text, receipts.show)} onDone={() => setView("conversation")} />
            </main>
          )}
        </ErrorBoundary>
        <ReceiptPlace receipt={receipts.receipt} onGone={receipts.dismiss} onUndo={receipts.undo} />
        <Announcer message={announcement} />
      </div>
    </div>
  );
}
