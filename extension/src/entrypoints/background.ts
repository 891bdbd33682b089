// The background of both browsers: listeners, registered synchronously, and nothing else.
import { browser } from "wxt/browser";
import { defineBackground } from "wxt/utils/define-background";
import { SCHEDULE_ALARM, startBackgroundEngine } from "../app/background-engine.ts";
import { sessionOfNotification } from "../app/notifier.ts";
import { readClick } from "../app/page-menu.ts";
import { PANEL_PORT } from "../app/bus.ts";
import { welcomeOnce } from "../app/welcome.ts";
import { zodWithoutEval } from "../lib/zod-without-eval.ts";
import type { PortLike } from "../app/panel-client.ts";

export default defineBackground({
  type: "module",
  main() {
    zodWithoutEval();
    restrictStorage();
    const engine = startBackgroundEngine();
    browser.runtime.onConnect.addListener((port) => {
      // Only our own pages know the name and share our origin; a content script would carry a page's.
      const isOurs = port.sender?.id === browser.runtime.id && (port.sender.url ?? "").startsWith(browser.runtime.getURL("/"));
      if (port.name === PANEL_PORT && isOurs) engine.servePanel(port as unknown as PortLike);
      else port.disconnect();
    });
    browser.alarms.onAlarm.addListener((alarm) => {
      if (alarm.name === SCHEDULE_ALARM) engine.wake();
    });
    browser.permissions.onAdded.addListener(() => engine.permissionsChanged());
    browser.permissions.onRemoved.addListener(() => engine.permissionsChanged());
    browser.contextMenus.onClicked.addListener((info, tab) => {
      const click = readClick(info, tab);
      if (click === null) return;
      // At once: a browser opens the panel only while the click is being handled.
      openPanel(tab?.windowId);
      engine.ask(click);
    });
    browser.notifications.onClicked.addListener((id) => {
      const session = sessionOfNotification(id);
      if (session === null) return;
      // Where one is open it comes to the front by itself.
      if (!engine.hasPanel()) openPanel(undefined);
      engine.show(session);
      void browser.notifications.clear(id);
    });
    // Being woken after a start or an update takes up what was under way; there is nothing more to do in it.
    browser.runtime.onStartup.addListener(() => {});
    browser.runtime.onInstalled.addListener(({ reason }) => {
      // Tests bring pages of their own.
      if (reason === "install" && !import.meta.env.OUTRIGGER_E2E) void welcomeOnce();
    });
    openPanelOnClick();
  },
});

/** What is stored is for our own pages: no script that ever runs in a page gets to see it. Firefox keeps it so by itself. */
function restrictStorage(): void {
  for (const area of [browser.storage.local, browser.storage.session]) void area.setAccessLevel?.({ accessLevel: "TRUSTED_CONTEXTS" })?.catch(() => {});
}

function openPanelOnClick(): void {
  if (import.meta.env.FIREFOX) {
    browser.action.onClicked.addListener(() => void (browser as unknown as FirefoxSidebar).sidebarAction.toggle());
  } else {
    void browser.sidePanel.setPanelBehavior({ openPanelOnActionClick: true });
  }
}

/** Where the browser does not let us, the panel comes as a tab. */
function openPanel(windowId: number | undefined): void {
  const asTab = () => void browser.tabs.create({ url: browser.runtime.getURL("/sidepanel.html") });
  if (import.meta.env.FIREFOX) (browser as unknown as FirefoxSidebar).sidebarAction.open().catch(asTab);
  else if (windowId !== undefined) browser.sidePanel.open({ windowId }).catch(asTab);
  else void browser.windows.getLastFocused().then(({ id }) => (id === undefined ? asTab() : browser.sidePanel.open({ windowId: id }))).catch(asTab);
}

declare global {
  interface ImportMetaEnv {
    /** The build for the end-to-end tests. */
    readonly OUTRIGGER_E2E: boolean;
  }
}

interface FirefoxSidebar {
  readonly sidebarAction: { toggle(): Promise<void>; open(): Promise<void> };
}
