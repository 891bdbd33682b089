/** The heart of the panel: what was said and done, what waits, and the place to write. */
import { useCallback, useMemo, useState } from "react";
import type { PanelClient } from "../../app/panel-client.ts";
import type { SessionView } from "../../agent/session-view.ts";
import type { AppView, ConnectionView } from "../../app/views.ts";
import { DropHint } from "../attach/drop-hint.tsx";
import { useAttachments } from "../attach/use-attachments.ts";
import { useDroppedFiles } from "../attach/use-dropped-files.ts";
import { ContextPie } from "../context/context-pie.tsx";
import { ConnectionBar } from "../connection/connection-bar.tsx";
import { ModelMenu } from "../models/model-menu.tsx";
import { ReceiptPlace } from "../panel/receipt-place.tsx";
import type { SaidReceipt } from "../panel/receipt-state.ts";
import { ErrorBoundary } from "../common/error-boundary.tsx";
import { later } from "../common/later.tsx";
import { useSteady } from "../common/use-steady.ts";
import { isTab } from "../panel/tab.ts";
import type { SendIntent } from "../panel/use-intents.ts";
import { useText } from "../text/use-text.ts";
import { WorkspaceMenu } from "../workspace/workspace-menu.tsx";
import { type Chat, ChatContext, type ChatSheetState } from "./chat.ts";
import { ChatDock } from "./chat-dock.tsx";
import { ChatBody } from "./chat-body.tsx";
import { Composer } from "./composer.tsx";
import { ModeMenu } from "./mode-menu.tsx";
import { OriginStrip } from "./origin-strip.tsx";
import { useChatActions } from "./use-chat-actions.ts";
import { ProfileMenu } from "./profile-menu.tsx";
import type { FoundTurn } from "./turn-list.tsx";
import { useCommands } from "./use-commands.ts";
import { useKeptCards } from "./use-kept-cards.ts";
import { useKeptDrafts } from "./use-kept-drafts.ts";
import { useProfiles } from "./use-profiles.ts";
import { useStopKey } from "./use-stop-key.ts";
import { useChatMessage } from "./use-chat-message.ts";

interface ChatScreenProps {
  client: PanelClient;
  app: AppView;
  connection: ConnectionView;
  sessionId: string | null;
  session: SessionView | null;
  /** The session that was asked for is not there. */
  isGone: boolean;
  /** The turn of it that was asked for. */
  found: FoundTurn | null;
  send: SendIntent;
  show: (receipt: SaidReceipt) => void;
  /** Shows another session, or with null a new one. */
  onOpen: (session: string | null) => void;
  onAddModel: () => void;
  onAddWorkspace: () => void;
  onConnection: () => void;
  /** Where every scheduled task is listed. */
  onSchedules?: () => void;
}

/** What opens over the conversation, each at a person's wish: loaded after it. */
const ChatSheet = later(async () => (await import("./chat-sheet.tsx")).ChatSheet, { room: false });

export function ChatScreen(props: ChatScreenProps) {
  const text = useText();
  const { client, app, session, sessionId, send, show } = props;
  const onOpen = useSteady(props.onOpen);
  const [sheet, openSheet] = useState<ChatSheetState | null>(null);
  const status = session?.status ?? "idle";
  const busy = status === "running" || status === "needs_you";
  const origin = session?.origin ?? null;
  const chat = useMemo<Chat>(() => ({ session: sessionId, origin, busy, client, send, show, open: onOpen, openSheet }), [sessionId, origin, busy, client, send, show, onOpen]);
  const actions = useChatActions(chat);
  const { say, queue } = useChatMessage(chat, { config: app.defaults, isFirst: app.sessions.length === 0 });
  const [said, setSaid] = useState(0);
  const sayHere = useCallback(
    async (message: string, along?: readonly string[]) => {
      const taken = await say(message, along);
      if (taken) setSaid((count) => count + 1);
      return taken;
    },
    [say],
  );
  useKeptDrafts(client, sessionId);
  useKeptCards(client, sessionId, session?.status ?? null);
  const attachments = useAttachments(chat);
  const drop = useDroppedFiles((files) => void attachments.addFiles(files));
  const config = session?.config ?? app.defaults;
  const workspaces = app.workspaces ?? [];
  const workspace = workspaces.find((candidate) => (config.workspace === null ? candidate.isDefault : candidate.id === config.workspace)) ?? null;
  const model = app.models.find((candidate) => candidate.id === config.model) ?? null;
  const { profiles, look } = useProfiles(send, config.profile);
  const onSchedules = useSteady(props.onSchedules ?? (() => {}));
  const commands = useCommands({ chat, app, session, profiles, onSchedules });
  const noHost = props.connection.state === "failed" && session === null ? text.composer.needsHost : null;
  const blocked = (props.isGone ? text.sessions.gone : null) ?? noHost ?? (app.workspaces !== null && workspace === null ? text.composer.needsWorkspace : null);
  useStopKey(session, chat, actions.stop);

  // Menus are the dearest things on this screen: made once, they are not drawn again for each picture of an answer that streams in.
  const { mode } = config;
  const modes = useMemo(() => <ModeMenu mode={mode} modes={app.modes} onChange={(wanted) => void send("selectMode", { session: sessionId, mode: wanted })} />, [mode, app.modes, send, sessionId]);
  const context = session !== null && session.turns.length > 0 ? session.context : null;
  const meter = useMemo(() => context && <ContextPie context={context} onOpen={() => openSheet({ kind: "context", page: "use" })} />, [context]);
  const onPage = useCallback((what: "page" | "selection") => openSheet({ kind: "page", what }), []);
  const onAddWorkspace = useSteady(props.onAddWorkspace);
  const onAddModel = useSteady(props.onAddModel);
  const isLoading = app.workspaces === null && props.connection.state !== "failed";
  const { profile = "write", thinking } = config;
  const menus = useMemo(
    () => (
      <>
        <WorkspaceMenu workspaces={app.workspaces ?? []} loading={isLoading} chosen={workspace} onChoose={(id) => void send("selectWorkspace", { session: sessionId, workspace: id })} onAdd={onAddWorkspace} />
        <ModelMenu models={app.models} chosen={model} onChoose={(id) => void send("selectModel", { session: sessionId, model: id })} onAdd={onAddModel} />
        <ProfileMenu profiles={profiles} chosen={profile} thinking={thinking} onOpen={look} onProfile={(chosen) => void send("selectProfile", { session: sessionId, profile: chosen })} onThinking={(chosen) => void send("selectThinking", { session: sessionId, thinking: chosen })} />
      </>
    ),
    [app.workspaces, app.models, isLoading, workspace, model, profiles, profile, thinking, look, send, sessionId, onAddWorkspace, onAddModel],
  );

  const onNew = useCallback(() => onOpen(null), [onOpen]);
  const closeSheet = useCallback(() => openSheet(null), []);
  const onBrokenSheet = useSteady((detail: string) => {
    closeSheet();
    show({ tone: "bad", message: text.common.brokenPart, detail });
  });

  return (
    <ChatContext value={chat}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a place to drop on; the same is in the menu of the message box. */}
      <main {...drop.handlers} className="relative flex min-h-0 min-w-0 flex-1 flex-col">
        <OriginStrip chat={chat} />
        <ChatBody {...props} actions={actions} onMessage={sayHere} said={said} onNew={onNew} canStart={blocked === null && props.connection.state === "connected"} />
        <div className="relative mx-auto flex w-full max-w-180 shrink-0 flex-col gap-1.5 px-3 pt-1 pb-2">
          <ReceiptPlace />
          {props.connection.state === "failed" && session && <ConnectionBar onShow={props.onConnection} />}
          {session && <ChatDock session={session} chat={chat} />}
          <Composer key={sessionId} session={sessionId} status={status} stopping={session?.turns.at(-1)?.stopping ?? false} blocked={blocked} onSend={sayHere} onQueue={queue} onStop={actions.stop} attachments={attachments} onPage={isTab() ? null : onPage} commands={commands} meter={meter}>
            {modes}
          </Composer>
          <div className="flex min-w-0 items-center gap-1">
            {menus}
            <span className="min-w-0 flex-1 truncate text-end text-2xs text-soft max-[420px]:sr-only" data-testid="state-line">{text.composer.states[status]}</span>
          </div>
        </div>
        {drop.over && <DropHint />}
        {sheet && <ErrorBoundary key={JSON.stringify(sheet)} onBroken={onBrokenSheet}><ChatSheet sheet={sheet} session={session} chat={chat} onAttach={attachments.add} onClose={closeSheet} /></ErrorBoundary>}
      </main>
    </ChatContext>
  );
}
