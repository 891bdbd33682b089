/** The whole panel: a picture of what the engine knows, and the ways to tell it what one wants. */
import { useCallback, useEffect, useMemo, useState } from "react";
import type { PanelClient } from "../../app/panel-client.ts";
import { Announcer } from "../common/announcer.tsx";
import { ErrorBoundary } from "../common/error-boundary.tsx";
import { useIncoming } from "../attach/use-incoming.ts";
import { useSteady } from "../common/use-steady.ts";
import { useText } from "../text/use-text.ts";
import { Header } from "./header.tsx";
import { MemoryNotice } from "./memory-notice.tsx";
import { StorageNotice } from "./storage-notice.tsx";
import { PanelContext, type PanelContextValue } from "./panel-context.ts";
import { parentOf, type Screen, SESSION_SCREENS } from "./place.ts";
import { ReceiptContext, ReceiptPlace } from "./receipt-place.tsx";
import { useReceipts } from "./receipt-state.ts";
import { RetentionNotice } from "./retention-notice.tsx";
import { KeysSheet, ScreenOf, SideList } from "./screens.tsx";
import { TabsOf } from "./tabs-of.tsx";
import { isTab, openTab } from "./tab.ts";
import { titleOf } from "./title-of.ts";
import { useArrival } from "./use-arrival.ts";
import { useAttention } from "./use-attention.ts";
import { useBoundaryMessage } from "./use-boundary-message.ts";
import { useDeleteSession } from "./use-delete-session.ts";
import { NAME, useDocumentTitle } from "./use-document-title.ts";
import { useGone } from "./use-gone.ts";
import { useHotkeys } from "./use-hotkeys.ts";
import { useIntents } from "./use-intents.ts";
import { useKeptFocus } from "./use-kept-focus.ts";
import { useLatest } from "./use-latest.ts";
import { useLooking } from "./use-looking.ts";
import { useNoStrayDrop } from "./use-no-stray-drop.ts";
import { useOver } from "./use-over.ts";
import { usePlace } from "./use-place.ts";
import { usePreferencesOf } from "./use-preferences-of.ts";
import { useReadable } from "./use-readable.ts";
import { useRegions } from "./use-regions.ts";
import { useSession } from "./use-session.ts";
import { useWide } from "./use-wide.ts";

export function Panel({ client }: { client: PanelClient }) {
  const text = useText();
  const app = useReadable(client.app);
  const shut = useReadable(client.shut);
  const connection = useReadable(client.connection);
  const [place, go] = usePlace(app);
  usePreferencesOf(app);
  const sessionId = place.session ?? null;
  const session = useSession(client, sessionId);
  const isGone = useGone(client, sessionId);
  const receipts = useReceipts();
  const send = useIntents(client, receipts.show, receipts.over);
  useOver(receipts.over, { host: connection.state === "connected", disk: shut === null && app?.storageFault === undefined, idle: session?.status !== "running" });
  const remove = useDeleteSession(send, receipts.show);
  const boundary = useBoundaryMessage(session);
  const announcement = useLatest(boundary, useAttention(client, sessionId));
  const wide = useWide();
  const [showsKeys, showKeys] = useState(false);

  const panel = useMemo<PanelContextValue | null>(
    () =>
      app && {
        client, app, connection, sessionId, session, isGone, place, go, send,
        show: receipts.show,
        sessions: app.sessions,
        deleteSession: (gone) =>
          void remove(gone).then((done) => {
            if (done && gone.id === sessionId) go({ screen: place.screen, part: place.part, session: null });
          }),
      },
    [client, app, connection, sessionId, session, isGone, place, go, send, receipts.show, remove],
  );

  const isSessionScreen = SESSION_SCREENS.some((name) => name === place.screen);
  const toChat = useCallback(() => go({ screen: "chat" }), [go]);
  useIncoming({ client, app, session: sessionId, send, show: receipts.show, toChat });
  useLooking(client, isSessionScreen ? sessionId : null);
  useEffect(() => client.onShow((shown) => go({ screen: "chat", session: shown })), [client, go]);
  const onBack = useSteady(() => go(parentOf(place)));
  const onGo = useSteady((screen: Screen) => (screen === place.screen && place.part === null ? toChat() : go({ screen })));
  const onTabs = useCallback((screen: Screen) => go({ screen }), [go]);
  const hideKeys = useCallback(() => showKeys(false), []);
  const onNew = useCallback(() => go({ screen: "chat", session: null }), [go]);
  useNoStrayDrop();
  useRegions();
  useKeptFocus();
  useArrival(place);
  useHotkeys(
    useMemo(
      () => ({
        help: () => showKeys(true),
        newSession: () => go({ screen: "chat", session: null }),
        history: () => go({ screen: "history" }),
        settings: () => go({ screen: "settings" }),
        back: place.screen === "chat" ? null : () => go(parentOf(place)),
      }),
      [go, place],
    ),
  );

  const summary = panel?.sessions.find((candidate) => candidate.id === sessionId);
  const title = isSessionScreen ? session?.title || summary?.title || (isGone ? text.sessions.gone : text.header.untitled) : titleOf(place, text);
  const isShut = panel === null && shut !== null;
  useDocumentTitle(isShut ? null : title);
  return (
    <PanelContext value={panel}>
      <ReceiptContext value={receipts}>
        <div className="flex h-full min-w-0">
          {wide && panel && place.screen !== "history" && <ErrorBoundary><SideList /></ErrorBoundary>}
          <div className="relative flex min-w-0 flex-1 flex-col">
            <ErrorBoundary>
              <Header
                title={isShut ? NAME : title}
                leads={!isShut}
                screen={place.screen}
                connection={connection}
                onBack={isSessionScreen ? null : onBack}
                waitingElsewhere={panel?.sessions.filter((candidate) => candidate.status === "needs_you" && candidate.id !== sessionId).length ?? 0}
                showsList={wide}
                onGo={onGo}
                onNew={onNew}
              />
            </ErrorBoundary>
            <ErrorBoundary key={`tabs ${sessionId ?? ""}`}>{isSessionScreen && session && session.turns.length > 0 && <TabsOf session={session} screen={place.screen} onGo={onTabs} onTab={isTab() ? null : () => openTab(place)} />}</ErrorBoundary>
            <ErrorBoundary>
              {app?.memoryOnly && app.storageLoss === undefined && <MemoryNotice />}
              {(app ?? shut) && <StorageNotice app={app} shut={shut} onNoted={() => void send("noteLoss", {})} onRetry={() => void send("storageUse", {})} />}
              {!wide && panel && app?.retention && place.screen !== "history" && <RetentionNotice />}
            </ErrorBoundary>
            {isShut && <main className="shrink-0 px-4 py-6 text-center text-xs text-soft">{text.storage.waits}</main>}
            <ErrorBoundary key={place.screen}>{panel && <ScreenOf screen={place.screen} />}</ErrorBoundary>
            {(place.screen !== "chat" || isShut) && <ReceiptPlace where="below" />}
            <Announcer message={announcement} />
            {showsKeys && <ErrorBoundary onBroken={hideKeys}><KeysSheet onClose={hideKeys} /></ErrorBoundary>}
          </div>
        </div>
      </ReceiptContext>
    </PanelContext>
  );
}
